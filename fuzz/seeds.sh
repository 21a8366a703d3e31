#!/bin/sh
# Lays seeds for every target into fuzz/corpus, out of the fixtures.
set -eu
cd "$(dirname "$0")"
for target in fuzz_targets/*.rs; do mkdir -p "corpus/$(basename "$target" .rs)"; done
for file in ../fixtures/*.pdf; do
    name=$(basename "$file" .pdf)
    cp "$file" "corpus/closure_round_trip/$name"
    # The objects of a file, from the first on; its cross references, from the last `xref` or cross-reference stream on.
    sed -n '/ obj/,/endobj/p' "$file" | head -c 4000 > "corpus/object/$name"
    tail -c 2000 "$file" > "corpus/cross_references/$name"
    # Content and compressed data, after five bytes of parameters for a predictor.
    for filter in flate lzw ascii85 ascii_hex run_length; do
        { printf '\014\001\010\004\001'; head -c 3000 "$file" | tail -c 2000; } > "corpus/filter_$filter/$name"
    done
    head -c 4000 "$file" > "corpus/content/$name"
done
printf '<</N 2/First 8>>1 0 2 3 42 [1]' > corpus/object_stream/small
printf '<</Type/Catalog/Pages 2 0 R>>\n<</Type/Pages/Count 1/Kids[3 0 R]>>\n<</Type/Page/MediaBox[0 0 9 9]>>' > corpus/page_tree/small
printf '\011\000\000\0001-3,5,7-' > corpus/page_selection/small
printf '%s' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_file","arguments":{"filePath":"a.pdf","pages":"1-3"}}}' > corpus/mcp_line/call
printf 'a/../a/in' > corpus/path_guard/inside
printf 'e/out' > corpus/path_guard/outside
at=0
for url in 'http://example.com/' '0x7f.1' '2130706433' '0177.0.0.01' '[::ffff:127.0.0.1]' '[64:ff9b::a00:1]' '[2002:7f00:1::]' \
    '[fe80::1%25eth0]' 'example.com..' '127%2e0.0.1' 'a@[::1]' '1.1.1.1\@10.0.0.1'; do
    at=$((at + 1))
    printf '%s\n%s\n%s' "$url" 64:ff9b::101:101 10.0.0.1 > "corpus/url_guard/$at"
    printf '%s\n%s' "$url" 1.1.1.1 > "corpus/url_guard/$at-public"
done
