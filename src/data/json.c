/* JSON: reading into a tree. The shim says where tokens begin; this file checks their grammar. */
#include "data/json.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "data/json_int.h"

#include <stdio.h>

typedef enum expect {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* just after [ */
    EXPECT_KEY,
    EXPECT_KEY_OR_END, /* just after { */
    EXPECT_COLON,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING, /* the one value is complete */
} expect;

/* What Go's decoder says of a byte that can't stand where `expect` is. */
static const char *const misplaced[] = {
    [EXPECT_VALUE] = "looking for beginning of value",
    [EXPECT_VALUE_OR_END] = "looking for beginning of value",
    [EXPECT_KEY] = "looking for beginning of object key string",
    [EXPECT_KEY_OR_END] = "looking for beginning of object key string",
    [EXPECT_COLON] = "after object key",
    [EXPECT_COMMA_OR_END] = "after array element",
    [EXPECT_NOTHING] = "after top-level value",
};

/* A place in the text that only ever moves forward. */
typedef struct place {
    size_t offset;
    uint32_t line, column;
} place;

/* A list or map that is still open: `slot` is its own entry among the values, its children follow
 * it there until it closes and takes them. */
typedef struct frame {
    size_t slot;
    size_t offset;
    bool is_map;
} frame;

typedef struct reader {
    dray_str text;
    dray_arena *arena;
    dray_err *err;
    dray_json_index index;
    size_t broken; /* where a string begins that doesn't end well; SIZE_MAX when all do */
    expect expect;
    place place;
    DRAY_VEC(dray_member) values; /* of open containers; lives in the arena, so its limit holds */
    DRAY_VEC(frame) frames;
} reader;

/* Whether eight bytes are ASCII without a line break: eight columns. */
static bool is_eight_columns(const char *bytes) {
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    uint64_t breaks = eight ^ 0x0a0a0a0a0a0a0a0au;
    return ((eight | ((breaks - 0x0101010101010101u) & ~breaks)) & 0x8080808080808080u) == 0;
}

static void advance(place *p, dray_str text, size_t offset) {
    for (size_t i = p->offset; i < offset; i++) {
        while (offset - i > 8 && is_eight_columns(text.p + i)) {
            p->column += 8;
            i += 8;
        }
        unsigned char c = (unsigned char)text.p[i];
        p->column += (c & 0xC0) != 0x80;
        if (c == '\n') {
            p->line++;
            p->column = 1;
        }
    }
    p->offset = offset;
}

/* A byte as Go quotes it: as a rune of that number. */
static void quote_byte(char to[16], unsigned char c) {
    static const char escapes[] = "abtnvfr";
    if (c == '\'' || c == '\\')
        snprintf(to, 16, "'\\%c'", c);
    else if (c >= '\a' && c <= '\r')
        snprintf(to, 16, "'\\%c'", escapes[c - '\a']);
    else if (c < ' ' || c == 0x7F)
        snprintf(to, 16, "'\\x%02x'", c);
    else if (c < 0x80)
        snprintf(to, 16, "'%c'", c);
    else if (c <= 0xA0 || c == 0xAD)
        snprintf(to, 16, "'\\u%04x'", c);
    else
        snprintf(to, 16, "'%c%c'", 0xC0 | c >> 6, 0x80 | (c & 0x3F));
}

/* why says what the byte at offset should have been; NULL where the text ends too early. */
static dray_code fail_at(reader *r, size_t offset, const char *why) {
    place p = offset >= r->place.offset ? r->place : (place){0, 1, 1};
    advance(&p, r->text, offset < r->text.n ? offset : r->text.n);
    bool at_end = offset >= r->text.n;
    if (at_end && why == NULL)
        return dray_err_set_at(r->err, DRAY_E_INVALID, p.line, p.column,
                               "unexpected end of JSON input");
    /* Go feeds its scanner a space when the text ends: within a word that is a wrong character. */
    char quoted[16];
    quote_byte(quoted, at_end ? ' ' : (unsigned char)r->text.p[offset]);
    return dray_err_set_at(r->err, DRAY_E_INVALID, p.line, p.column, "invalid character %s %s",
                           quoted, why);
}

static const char *misplaced_text(const reader *r) {
    bool in_map = r->frames.n != 0 && r->frames.v[r->frames.n - 1].is_map;
    return r->expect == EXPECT_COMMA_OR_END && in_map ? "after object key:value pair"
                                                      : misplaced[r->expect];
}

static dray_code limit(reader *r, const char *what) {
    return dray_err_set_at(r->err, DRAY_E_LIMIT, r->place.line, r->place.column, "%s", what);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* A scalar may be followed by whitespace or by the next token, which starts at `end`. */
static dray_code check_after(reader *r, size_t at, size_t end) {
    if (at == end || is_space(r->text.p[at]))
        return DRAY_OK;
    r->expect = r->frames.n != 0 ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
    return fail_at(r, at, misplaced_text(r));
}

/* number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit
 * ] */
static dray_code read_number(reader *r, size_t at, size_t end, dray_node *ret) {
    const char *s = r->text.p;
    size_t i = at + (s[at] == '-');
    if (i == end || !is_digit(s[i]))
        return fail_at(r, i, "in numeric literal");
    if (s[i] == '0')
        i++;
    else
        while (i < end && is_digit(s[i]))
            i++;
    if (i < end && s[i] == '.') {
        if (++i == end || !is_digit(s[i]))
            return fail_at(r, i, "after decimal point in numeric literal");
        while (i < end && is_digit(s[i]))
            i++;
    }
    if (i < end && (s[i] == 'e' || s[i] == 'E')) {
        i++;
        i += i < end && (s[i] == '+' || s[i] == '-');
        if (i == end || !is_digit(s[i]))
            return fail_at(r, i, "in exponent of numeric literal");
        while (i < end && is_digit(s[i]))
            i++;
    }
    ret->kind = DRAY_NODE_NUMBER;
    ret->text = dray_str_n(s + at, i - at);
    return check_after(r, i, end);
}

static dray_code read_word(reader *r, size_t at, size_t end, const char *word, dray_node *ret) {
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (at + i < end && r->text.p[at + i] == word[i])
            continue;
        char why[48];
        snprintf(why, sizeof why, "in literal %s (expecting '%c')", word, word[i]);
        return fail_at(r, at + i, why);
    }
    ret->kind = word[0] == 'n' ? DRAY_NODE_NULL : DRAY_NODE_BOOL;
    ret->truth = word[0] == 't';
    return check_after(r, at + strlen(word), end);
}

static int32_t hex_digit(char c) {
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The four digits at s[at]; -1, with *bad at the first that is none. */
static int32_t hex4(dray_str s, size_t at, size_t *bad) {
    int32_t value = 0;
    for (size_t i = at; i < at + 4; i++) {
        int32_t digit = i < s.n ? hex_digit(s.p[i]) : -1;
        *bad = i;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* \uXXXX at s[at] (the backslash), or a surrogate pair of two: the code point, U+FFFD for half a
 * pair. *at moves past it. */
static int32_t unescape_u(dray_str s, size_t *at, size_t *bad) {
    int32_t high = hex4(s, *at + 2, bad);
    *at += 6;
    if (high < 0xD800 || high > 0xDFFF)
        return high;
    size_t ignored;
    bool second = *at + 6 <= s.n && s.p[*at] == '\\' && s.p[*at + 1] == 'u';
    int32_t low = high < 0xDC00 && second ? hex4(s, *at + 2, &ignored) : -1;
    if (low < 0xDC00 || low > 0xDFFF)
        return 0xFFFD;
    *at += 6;
    return 0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00));
}

/* Writes what the escape at s[*at] stands for; SIZE_MAX when it is none, with *bad and *why. */
static size_t unescape(dray_str s, size_t *at, char *to, size_t *bad, const char **why) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = *at + 1 < s.n ? s.p[*at + 1] : '\0';
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (found != NULL) {
        *to = meanings[found - letters];
        *at += 2;
        return 1;
    }
    *bad = *at + 1;
    *why = "in string escape code";
    if (c != 'u')
        return SIZE_MAX;
    *why = "in \\u hexadecimal character escape";
    int32_t code_point = unescape_u(s, at, bad);
    return code_point < 0 ? SIZE_MAX : dray_utf8_put(to, (uint32_t)code_point);
}

/* Rewrites what stands between the quotes: escapes, and U+FFFD for each invalid byte. */
static dray_code rewrite_string(reader *r, dray_str s, dray_str *ret) {
    /* An invalid byte grows to three, an escape shrinks. */
    char *to = dray_arena_bytes(r->arena, r->index.utf8 ? s.n : dray_size_mul(s.n, 3));
    size_t n = 0;
    for (size_t at = 0; at < s.n;) {
        if (s.p[at] == '\\') {
            size_t bad;
            const char *why;
            size_t put = unescape(s, &at, to + n, &bad, &why);
            if (put == SIZE_MAX)
                return fail_at(r, (size_t)(s.p - r->text.p) + bad, why);
            n += put;
        } else if (r->index.utf8) {
            to[n++] = s.p[at++];
        } else {
            int32_t code_point = dray_utf8_next(s, &at);
            n += dray_utf8_put(to + n, code_point < 0 ? 0xFFFD : (uint32_t)code_point);
        }
    }
    *ret = dray_str_n(to, n);
    return DRAY_OK;
}

/* What is wrong with the string whose opening quote is at `at`. */
static dray_code fail_string(reader *r, size_t at) {
    dray_str rest = dray_str_slice(r->text, at + 1, r->text.n);
    for (size_t i = 0; i < rest.n;) {
        size_t bad;
        const char *why;
        char ignored[4];
        if ((unsigned char)rest.p[i] < ' ')
            return fail_at(r, at + 1 + i, "in string literal");
        if (rest.p[i] != '\\')
            i++;
        else if (unescape(rest, &i, ignored, &bad, &why) == SIZE_MAX)
            return fail_at(r, at + 1 + bad, why);
    }
    return fail_at(r, r->text.n, NULL);
}

/* The string whose opening quote is at `at`: its closing quote is the last byte before the next
 * token that is no whitespace. */
static dray_code read_string(reader *r, size_t at, size_t end, dray_str *ret) {
    const char *s = r->text.p;
    if (at == r->broken)
        return fail_string(r, at);
    while (is_space(s[end - 1]))
        end--;
    dray_str inner = dray_str_n(s + at + 1, end - at - 2);
    *ret = inner;
    if (memchr(inner.p, '\\', inner.n) == NULL &&
        (r->index.utf8 || dray_utf8_invalid(inner) == SIZE_MAX))
        return DRAY_OK;
    return rewrite_string(r, inner, ret);
}

/* The slot that the next value goes to: a map's waits with its key, a list's is new. */
static dray_node *value_slot(reader *r) {
    bool in_map = r->frames.n != 0 && r->frames.v[r->frames.n - 1].is_map;
    if (!in_map)
        DRAY_PUSH(r->arena, &r->values, (dray_member){0});
    dray_node *node = &r->values.v[r->values.n - 1].value;
    node->line = r->place.line;
    node->column = r->place.column;
    return node;
}

static dray_code open_container(reader *r, size_t at, bool is_map) {
    if (r->frames.n == DRAY_JSON_MAX_DEPTH)
        return limit(r, "exceeded max depth");
    value_slot(r)->kind = is_map ? DRAY_NODE_MAP : DRAY_NODE_LIST;
    DRAY_PUSH(r->arena, &r->frames, (frame){r->values.n - 1, at, is_map});
    r->expect = is_map ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    return DRAY_OK;
}

static void close_container(reader *r, size_t at) {
    frame f = r->frames.v[--r->frames.n];
    const dray_member *children = &r->values.v[f.slot + 1];
    size_t n = r->values.n - f.slot - 1;
    dray_node *node = &r->values.v[f.slot].value;
    node->raw = dray_str_n(r->text.p + f.offset, at + 1 - f.offset);
    if (f.is_map) {
        node->map.n = n;
        node->map.members = DRAY_NEW_N(r->arena, dray_member, n);
        memcpy(node->map.members, children, n * sizeof *children);
    } else {
        node->list.n = n;
        node->list.items = DRAY_NEW_N(r->arena, dray_node, n);
        for (size_t i = 0; i < n; i++)
            node->list.items[i] = children[i].value;
    }
    r->values.n = f.slot + 1;
    r->expect = r->frames.n != 0 ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static dray_code read_key(reader *r, size_t at, size_t end) {
    size_t members = r->values.n - r->frames.v[r->frames.n - 1].slot - 1;
    if (members == DRAY_MAP_MAX_MEMBERS)
        return limit(r, "a map has more than 1000000 members");
    dray_member member = {.line = r->place.line, .column = r->place.column};
    dray_code code = read_string(r, at, end, &member.key);
    if (code == DRAY_OK) {
        DRAY_PUSH(r->arena, &r->values, member);
        r->expect = EXPECT_COLON;
    }
    return code;
}

static dray_code read_scalar(reader *r, size_t at, size_t end) {
    dray_node scalar = {0};
    dray_code code;
    switch (r->text.p[at]) {
    case '"':
        scalar.kind = DRAY_NODE_STRING;
        code = read_string(r, at, end, &scalar.text);
        break;
    case 't':
        code = read_word(r, at, end, "true", &scalar);
        break;
    case 'f':
        code = read_word(r, at, end, "false", &scalar);
        break;
    case 'n':
        code = read_word(r, at, end, "null", &scalar);
        break;
    default:
        if (r->text.p[at] != '-' && !is_digit(r->text.p[at]))
            return fail_at(r, at, misplaced_text(r));
        code = read_number(r, at, end, &scalar);
    }
    if (code != DRAY_OK)
        return code;
    scalar.line = r->place.line;
    scalar.column = r->place.column;
    *value_slot(r) = scalar;
    r->expect = r->frames.n != 0 ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
    return DRAY_OK;
}

static dray_code read_value(reader *r, size_t at, size_t end) {
    char c = r->text.p[at];
    if (c == '{' || c == '[')
        return open_container(r, at, c == '{');
    return read_scalar(r, at, end);
}

static dray_code read_after_value(reader *r, size_t at) {
    bool is_map = r->frames.v[r->frames.n - 1].is_map;
    char c = r->text.p[at];
    if (c == ',')
        r->expect = is_map ? EXPECT_KEY : EXPECT_VALUE;
    else if (c == (is_map ? '}' : ']'))
        close_container(r, at);
    else
        return fail_at(r, at, misplaced_text(r));
    return DRAY_OK;
}

/* One token, which begins at `at`; the next one begins at `end`. */
static dray_code read_token(reader *r, size_t at, size_t end) {
    char c = r->text.p[at];
    switch (r->expect) {
    case EXPECT_VALUE_OR_END:
        if (c == ']') {
            close_container(r, at);
            return DRAY_OK;
        }
        return read_value(r, at, end);
    case EXPECT_VALUE:
        return read_value(r, at, end);
    case EXPECT_KEY_OR_END:
        if (c == '}') {
            close_container(r, at);
            return DRAY_OK;
        }
        return c == '"' ? read_key(r, at, end) : fail_at(r, at, misplaced_text(r));
    case EXPECT_KEY:
        return c == '"' ? read_key(r, at, end) : fail_at(r, at, misplaced_text(r));
    case EXPECT_COLON:
        r->expect = EXPECT_VALUE;
        return c == ':' ? DRAY_OK : fail_at(r, at, misplaced[EXPECT_COLON]);
    case EXPECT_COMMA_OR_END:
        return read_after_value(r, at);
    case EXPECT_NOTHING:
        break;
    }
    return fail_at(r, at, misplaced_text(r));
}

static dray_code read_tokens(reader *r) {
    for (size_t i = 0; i < r->index.n; i++) {
        size_t at = r->index.at[i];
        size_t end = i + 1 < r->index.n ? r->index.at[i + 1] : r->text.n;
        advance(&r->place, r->text, at);
        dray_code code = read_token(r, at, end);
        if (code != DRAY_OK)
            return code;
        if (dray_arena_spent(r->arena))
            return limit(r, "the document needs more memory than is allowed");
    }
    return r->expect == EXPECT_NOTHING ? DRAY_OK : fail_at(r, r->text.n, NULL);
}

/* Where the string ends whose opening quote is at `at`: its closing quote, SIZE_MAX for none. */
static size_t string_end(dray_str text, size_t at) {
    size_t i = at + 1;
    while (i < text.n && text.p[i] != '"' && (unsigned char)text.p[i] >= ' ')
        i += text.p[i] == '\\' ? 2 : 1;
    return i < text.n && text.p[i] == '"' ? i : SIZE_MAX;
}

/* The simple way through a text that the shim refused, up to its broken string: so that the first
 * error is the one that is told. */
static dray_code read_broken(reader *r) {
    DRAY_VEC(uint32_t) tokens = {0};
    bool in_word = false;
    for (size_t i = 0; i < r->text.n && r->broken == SIZE_MAX; i++) {
        char c = r->text.p[i];
        bool is_word = !is_space(c) && strchr("{}[]:,\"", c) == NULL;
        if (!is_space(c) && !(is_word && in_word))
            DRAY_PUSH(r->arena, &tokens, (uint32_t)i);
        in_word = is_word;
        if (c != '"')
            continue;
        size_t end = string_end(r->text, i);
        if (end == SIZE_MAX)
            r->broken = i;
        else
            i = end;
    }
    r->index.at = tokens.v;
    r->index.n = tokens.n;
    return read_tokens(r);
}

static dray_code read_document(reader *r) {
    switch (dray_json_index_make(r->text, &r->index)) {
    case DRAY_JSON_INDEXED:
        return read_tokens(r);
    case DRAY_JSON_EMPTY:
        return fail_at(r, r->text.n, NULL);
    case DRAY_JSON_BROKEN:
        return read_broken(r);
    case DRAY_JSON_NO_ROOM:
        break;
    }
    return limit(r, "no memory to index the document");
}

dray_code dray_json_parse(dray_str text, dray_arena *arena, dray_node **ret, dray_err *err) {
    if (text.n >= UINT32_MAX)
        return dray_err_set(err, DRAY_E_LIMIT, "a JSON document may have at most 4 GiB");
    reader r = {.text = text, .arena = arena, .err = err, .place = {0, 1, 1}, .broken = SIZE_MAX};
    dray_code code = text.n != 0 ? read_document(&r) : fail_at(&r, 0, NULL);
    dray_json_index_free(&r.index);
    if (code == DRAY_OK)
        *ret = &r.values.v[0].value;
    return code;
}
