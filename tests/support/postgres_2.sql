-- What the second version added.
CREATE TABLE pagewise.step (
    conversation text COLLATE "C" NOT NULL,
    begun bigint NOT NULL,
    sequence bigint NOT NULL,
    at bigint NOT NULL,
    kind smallint NOT NULL,
    blocks bigint NOT NULL,
    pages bigint NOT NULL,
    bytes bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (conversation, begun, sequence)
);

CREATE TABLE pagewise.forgotten_page (
    conversation text COLLATE "C" NOT NULL,
    begun bigint NOT NULL,
    file bytea NOT NULL,
    page bigint NOT NULL,
    sequence bigint NOT NULL,
    PRIMARY KEY (conversation, begun, file, page)
);

INSERT INTO pagewise.step VALUES ('a', 70, 3, 1500, 1, 0, 0, 0, 0), ('a', 70, 4, 2000, 0, 1, 1, 10, 1), ('a', 69, 1, 1, 0, 1, 1, 1, 1);
INSERT INTO pagewise.forgotten_page VALUES ('a', 70, decode(repeat('02', 32), 'hex'), 5, 3), ('a', 69, decode(repeat('02', 32), 'hex'), 8, 1);
