-- The tables of the first version, with a conversation.
CREATE SCHEMA pagewise;
CREATE TABLE pagewise.version (number bigint NOT NULL);
INSERT INTO pagewise.version VALUES (0);

CREATE TABLE pagewise.pruning (id smallint PRIMARY KEY, pruned_at bigint);
INSERT INTO pagewise.pruning VALUES (0, NULL);

CREATE TABLE pagewise.conversation (
    conversation text COLLATE "C" PRIMARY KEY,
    begun bigint NOT NULL,
    latest bigint NOT NULL DEFAULT 0,
    forgotten bigint NOT NULL DEFAULT 0,
    emptied bigint NOT NULL DEFAULT 0,
    generation bigint NOT NULL DEFAULT 0,
    owner bytea,
    blocks bigint NOT NULL DEFAULT 0,
    pages bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    server_start bigint NOT NULL DEFAULT 0,
    recent_calls bigint[] NOT NULL DEFAULT '{}',
    recent_sequences bigint[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

CREATE TABLE pagewise.holding (
    conversation text COLLATE "C" NOT NULL,
    begun bigint NOT NULL,
    content bytea NOT NULL,
    file bytea NOT NULL,
    kind smallint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    form smallint NOT NULL,
    fingerprint bytea NOT NULL,
    sequence bigint NOT NULL,
    PRIMARY KEY (conversation, begun, content, file, kind, first, last, form, fingerprint)
);
CREATE INDEX holding_by_sequence ON pagewise.holding (conversation, begun, sequence);

CREATE TABLE pagewise.file_name (
    conversation text COLLATE "C" NOT NULL,
    file bytea NOT NULL,
    path text NOT NULL,
    PRIMARY KEY (conversation, file)
);
CREATE INDEX file_name_by_file ON pagewise.file_name (file);

CREATE TABLE pagewise.page_count (
    conversation text COLLATE "C" NOT NULL,
    content bytea NOT NULL,
    pages bigint NOT NULL,
    PRIMARY KEY (conversation, content)
);
CREATE INDEX page_count_by_content ON pagewise.page_count (content);

CREATE TABLE pagewise.session (
    id text COLLATE "C" PRIMARY KEY,
    owner bytea NOT NULL,
    state bytea NOT NULL,
    used_at bigint NOT NULL
);

INSERT INTO pagewise.conversation (conversation, begun, latest, forgotten, emptied, generation, owner, blocks, pages, bytes,
    tokens, created_at, used_at, server_start)
    VALUES ('a', 70, 4, 3, 0, 0, decode(repeat('07', 32), 'hex'), 10, 11, 12, 13, 1000, 2000, 0);
INSERT INTO pagewise.holding VALUES
    ('a', 70, decode(repeat('01', 32), 'hex'), decode(repeat('01', 32), 'hex'), 2, 0, 0, 0, decode(repeat('01', 32), 'hex'), 1),
    ('a', 70, decode(repeat('01', 32), 'hex'), decode(repeat('01', 32), 'hex'), 2, 1, 1, 0, decode(repeat('01', 32), 'hex'), 4),
    ('a', 70, decode(repeat('02', 32), 'hex'), decode(repeat('02', 32), 'hex'), 5, 0, 0, 0, '', 2),
    ('a', 69, decode(repeat('09', 32), 'hex'), decode(repeat('09', 32), 'hex'), 4, 0, 0, 0, '', 1);
INSERT INTO pagewise.file_name VALUES ('a', decode(repeat('01', 32), 'hex'), '/home/one.pdf');
INSERT INTO pagewise.page_count VALUES ('a', decode(repeat('01', 32), 'hex'), 9);
