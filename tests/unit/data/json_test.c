/* JSON: what is read, refused and written, places, limits. */
#include "data/json.h"

#include "base/vec.h"
#include "tap.h"

static void reading(dray_arena *arena) {
    static const struct {
        const char *text, *want; /* as written again, or LINE:COLUMN and the error */
    } rows[] = {
        {" null ", "null"},
        {"[true,false,[],{}]", "[true,false,[],{}]"},
        {"{\"b\":1,\"a\":2,\"b\":3}", "{\"a\":2,\"b\":3}"},
        {"[-0,1.50,1E+5,1e-5]", "[-0,1.50,1E+5,1e-5]"},
        {"\"\\u00e9\\n\\/\\\"\"", "\"é\\n/\\\"\""},
        {"\"\\ud83d\\ude00\"", "\"😀\""},
        {"\"\\ud83d\"", "\"\xEF\xBF\xBD\""},
        {"\"\\ude00\\ud83d\\ude00\"", "\"\xEF\xBF\xBD😀\""},
        {"\"a\xff\xc3\"", "\"a\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\"\x7f\xe2\x80\xa8<\"", "\"\x7f\\u2028<\""},
        {"\"\\u0000\"", "\"\\u0000\""},
        {"", "1:1 unexpected end of JSON input"},
        {" \n ", "2:2 unexpected end of JSON input"},
        {"[", "1:2 unexpected end of JSON input"},
        {"[1", "1:3 unexpected end of JSON input"},
        {"{\"a\":", "1:6 unexpected end of JSON input"},
        {"\"abc", "1:5 unexpected end of JSON input"},
        {"\"abc\\\"", "1:7 unexpected end of JSON input"},
        {"tru", "1:4 invalid character ' ' in literal true (expecting 'e')"},
        {"-", "1:2 invalid character ' ' in numeric literal"},
        {"[\"a\" \"b", "1:6 invalid character '\"' after array element"},
        {"\"\\\t\"", "1:3 invalid character '\\t' in string escape code"},
        {"01", "1:2 invalid character '1' after top-level value"},
        {"[1.]", "1:4 invalid character ']' after decimal point in numeric literal"},
        {"[1e]", "1:4 invalid character ']' in exponent of numeric literal"},
        {"[-a]", "1:3 invalid character 'a' in numeric literal"},
        {"[nul]", "1:5 invalid character ']' in literal null (expecting 'l')"},
        {"[NaN]", "1:2 invalid character 'N' looking for beginning of value"},
        {"{} x", "1:4 invalid character 'x' after top-level value"},
        {"[1,]", "1:4 invalid character ']' looking for beginning of value"},
        {"[1 2]", "1:4 invalid character '2' after array element"},
        {"{\"a\":1,}", "1:8 invalid character '}' looking for beginning of object key string"},
        {"{a:1}", "1:2 invalid character 'a' looking for beginning of object key string"},
        {"{\"a\" 1}", "1:6 invalid character '1' after object key"},
        {"{\"a\":1 \"b\"}", "1:8 invalid character '\"' after object key:value pair"},
        {"\"\\x\"", "1:3 invalid character 'x' in string escape code"},
        {"\"\\u12g4\"", "1:6 invalid character 'g' in \\u hexadecimal character escape"},
        {"\"a\nb\"", "1:3 invalid character '\\n' in string literal"},
        {"['a']", "1:2 invalid character '\\'' looking for beginning of value"},
        {"\xef\xbb\xbf{}", "1:1 invalid character 'ï' looking for beginning of value"},
        {"[\"a long string of many bytes\",\n\n\"0123456789é0123456789\", x]",
         "3:26 invalid character 'x' looking for beginning of value"},
        {"{\"é\":\n  \"日本\", x}", "2:9 invalid character 'x' looking for beginning of object key "
                                    "string"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        DRAY_CLEANUP_BUF dray_buf got = DRAY_BUF_INIT;
        dray_err err = DRAY_ERR_INIT;
        dray_node *root;
        if (dray_json_parse(dray_str_of(rows[i].text), arena, &root, &err) == DRAY_OK)
            dray_json_write(&got, root, false);
        else
            dray_buf_addf(&got, "%u:%u %s", err.line, err.column, dray_err_text(&err));
        CHECK_STR(rows[i].want, dray_buf_str(&got), rows[i].want);
        dray_err_done(&err);
    }
    dray_node *root;
    CHECK("a NUL byte is refused",
          dray_json_parse(DRAY_STR("[1\0]"), arena, &root, NULL) == DRAY_E_INVALID);
}

static void tree(dray_arena *arena) {
    dray_str text = DRAY_STR("{\"a\": [1, {\"é\":  \"x\"}],\n \"a\": 2 }");
    dray_node *root;
    CHECK("duplicates are read", dray_json_parse(text, arena, &root, NULL) == DRAY_OK);
    CHECK_INT("and kept in order", (int64_t)root->map.n, 2);
    CHECK_STR("of which the last is found", dray_node_find(root, DRAY_STR("a"))->text, "2");
    const dray_node *list = &root->map.members[0].value;
    CHECK_STR("a list keeps its bytes", list->raw, "[1, {\"é\":  \"x\"}]");
    CHECK_INT("columns count characters", list->list.items[1].map.members[0].value.column, 18);
    CHECK_INT("a key's line", root->map.members[1].line, 2);
    CHECK_INT("a key's column", root->map.members[1].column, 2);
    CHECK("an unescaped string points into the text",
          list->list.items[1].map.members[0].value.text.p > text.p &&
              list->list.items[1].map.members[0].value.text.p < text.p + text.n);
}

static void writing(void) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_json_write_string(&out, DRAY_STR("<a>&\x01\b\xff"), true);
    CHECK_STR("HTML is escaped where asked for, invalid bytes always", dray_buf_str(&out),
              "\"\\u003ca\\u003e\\u0026\\u0001\\b\\ufffd\"");
}

static dray_code parse_repeated(const char *before, const char *part, size_t times,
                                size_t arena_limit, dray_err *err) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(arena_limit);
    dray_node *root;
    dray_buf_puts(&text, before);
    for (size_t i = 0; i < times; i++)
        dray_buf_puts(&text, part);
    return dray_json_parse(dray_buf_str(&text), arena, &root, err);
}

static void limits(dray_arena *arena) {
    dray_err err = DRAY_ERR_INIT;
    CHECK("100,000 levels are the limit", parse_repeated("", "[", 100000, 0, &err) == DRAY_E_LIMIT);
    CHECK_INT("with a place", err.column, DRAY_JSON_MAX_DEPTH + 1);
    CHECK_STR("and upstream's words", dray_str_of(dray_err_text(&err)), "exceeded max depth");
    CHECK("ten million keys are the limit, in a gigabyte at most",
          parse_repeated("{\"b\":1", ",\"a\":1", 10000000, 1 << 30, &err) == DRAY_E_LIMIT);
    CHECK_STR("of members", dray_str_of(dray_err_text(&err)),
              "a map has more than 1000000 members");
    CHECK("a spent arena is the limit",
          parse_repeated("[0", ",1", 1000000, 1 << 16, &err) == DRAY_E_LIMIT);
    CHECK("truncated input is refused", parse_repeated("[0", ",1", 100, 0, &err) == DRAY_E_INVALID);
    CHECK_INT("with the place of its end", err.column, 203);
    dray_err_done(&err);

    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    for (int i = 0; i < 10000; i++)
        dray_buf_putc(&text, '7');
    dray_node *root;
    CHECK("a number of 10,000 digits is read",
          dray_json_parse(dray_buf_str(&text), arena, &root, NULL) == DRAY_OK);
    CHECK("and kept as text", dray_str_eq(root->text, dray_buf_str(&text)));

    dray_buf_clear(&text);
    for (int i = 0; i < DRAY_JSON_MAX_DEPTH; i++)
        dray_buf_putc(&text, '[');
    for (int i = 0; i < DRAY_JSON_MAX_DEPTH; i++)
        dray_buf_putc(&text, ']');
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    CHECK("the deepest document is read",
          dray_json_parse(dray_buf_str(&text), arena, &root, NULL) == DRAY_OK);
    dray_json_write(&out, root, false);
    CHECK("and written", dray_str_eq(dray_buf_str(&out), dray_buf_str(&text)));
}

/* Whatever the limit: success, or the limit's error; never anything else. */
static void sweep(void) {
    dray_str text = DRAY_STR("{\"a\":[1,{\"b\":\"\\n\"},null],\"c\":{\"d\":[[]]}}");
    dray_code code = DRAY_E_LIMIT;
    bool clean = true;
    for (size_t limit = 64; code != DRAY_OK && clean; limit += 64) {
        DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(limit);
        dray_node *root = NULL;
        code = dray_json_parse(text, arena, &root, NULL);
        clean = code == DRAY_OK ? root != NULL : code == DRAY_E_LIMIT && root == NULL;
    }
    CHECK("a sweep over arena limits gives the limit's error until it passes", clean);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    reading(arena);
    tree(arena);
    writing();
    limits(arena);
    sweep();
    return tap_end();
}
