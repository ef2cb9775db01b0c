/* Mistakes in the text of an expression: what keeps it from being parsed. */
#include "explain/cel_advice_int.h"

#include <ctype.h>
#include <strings.h>

static const struct word {
    const char *word, *sign;
} words[] = {
#define OPERATOR(word_, sign_) {word_, sign_},
#include "explain/cel_advice.def"
#undef OPERATOR
};

static const struct word signs[] = {
#define SIGN(written_, meant_) {written_, meant_},
#include "explain/cel_advice.def"
#undef SIGN
};

static const char *const units[] = {"k",   "K",   "M",   "G",  "T",  "P",  "E",  "Ki", "Mi",
                                    "Gi",  "Ti",  "Pi",  "Ei", "KB", "MB", "GB", "TB", "KiB",
                                    "MiB", "GiB", "TiB", "gi", "mi", "ti", "GI", "MI", "TI"};

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind the string that begins at i; text.n + 1 where it never ends. */
static size_t skip_string(dray_str text, size_t i) {
    char quote = text.p[i++];
    for (; i < text.n && text.p[i] != quote; i++)
        if (text.p[i] == '\\')
            i++;
    return i < text.n ? i + 1 : text.n + 1;
}

static bool is_quote(char c) {
    return c == '\'' || c == '"';
}

/* A rewriter is called at each byte outside strings: it may take n bytes and put others. */
typedef size_t rewriter(dray_cel_adviser *a, dray_str text, size_t i, dray_buf *out);

static bool rewrite(dray_cel_adviser *a, rewriter *f) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    bool changed = false;
    for (size_t i = 0; i < a->text.n;) {
        size_t end = i + 1;
        size_t taken = 0;
        if (is_quote(a->text.p[i]))
            end = skip_string(a->text, i);
        else
            taken = f(a, a->text, i, &out);
        if (taken == 0)
            dray_buf_str_add(&out, dray_str_slice(a->text, i, end));
        changed |= taken != 0;
        i = taken != 0 ? i + taken : end;
    }
    if (changed)
        a->text = dray_str_dup(a->arena, dray_buf_str(&out));
    return changed;
}

static bool starts_at(dray_str text, size_t i, const char *what) {
    return dray_str_starts(dray_str_slice(text, i, text.n), dray_str_of(what));
}

static size_t put_curly(dray_cel_adviser *a, dray_str text, size_t i, dray_buf *out) {
    static const char *const quotes[] = {"\u2018", "\u2019", "\u201c", "\u201d",
                                         "\u00ab", "\u00bb", "\u201e", "`"};
    for (size_t k = 0; k < DRAY_COUNT(quotes); k++)
        if (starts_at(text, i, quotes[k])) {
            dray_buf_putc(out, '\'');
            return strlen(quotes[k]);
        }
    return 0;
}

bool dray_cel_mistake_curly_quotes(dray_cel_adviser *a, dray_cel_spot *spot) {
    if (!rewrite(a, put_curly))
        return false;
    dray_cel_note_add(a, "strings stand between straight quotes, ' or \"");
    return true;
}

static size_t put_word(dray_cel_adviser *a, dray_str text, size_t i, dray_buf *out) {
    if (!isalpha((unsigned char)text.p[i]) ||
        (i > 0 && (is_name(text.p[i - 1]) || text.p[i - 1] == '.')))
        return 0;
    size_t n = 0;
    while (i + n < text.n && is_name(text.p[i + n]))
        n++;
    /* A call's or a member's name is none. */
    bool call = i + n < text.n && (text.p[i + n] == '.' || text.p[i + n] == '[');
    for (size_t k = 0; k < DRAY_COUNT(words) && !call; k++) {
        if (strlen(words[k].word) != n || strncasecmp(words[k].word, text.p + i, n) != 0)
            continue;
        dray_buf_puts(out, words[k].sign);
        if (words[k].sign[0] == '!' && words[k].sign[1] == '\0')
            while (i + n < text.n && text.p[i + n] == ' ')
                n++;
        dray_cel_note_add(a, "CEL writes %s, not " DRAY_FMT, words[k].sign,
                          DRAY_ARG(dray_str_slice(text, i, i + n)));
        return n;
    }
    return 0;
}

bool dray_cel_mistake_word_operator(dray_cel_adviser *a, dray_cel_spot *spot) {
    return rewrite(a, put_word);
}

static size_t put_sign(dray_cel_adviser *a, dray_str text, size_t i, dray_buf *out) {
    static const char right[][3] = {"==", "!=", ">=", "<=", "&&", "||"};
    if (strchr("=!<>&|", text.p[i]) == NULL)
        return 0;
    for (size_t k = 0; k < DRAY_COUNT(signs); k++) {
        size_t n = strlen(signs[k].word);
        if (!starts_at(text, i, signs[k].word))
            continue;
        if (n < 3) /* not a part of an operator that is right */
            for (size_t r = 0; r < DRAY_COUNT(right); r++)
                if (starts_at(text, i, right[r]) || (i > 0 && starts_at(text, i - 1, right[r])))
                    return 0;
        /* One operator with a blank in it. */
        if (starts_at(text, i + n, " =") ||
            (i > 1 && text.p[i - 1] == ' ' && strchr("=<>!", text.p[i - 2]) != NULL))
            return 0;
        dray_buf_puts(out, signs[k].sign);
        dray_cel_note_add(a, "CEL writes %s, not %s", signs[k].sign, signs[k].word);
        return n;
    }
    return 0;
}

bool dray_cel_mistake_operator_sign(dray_cel_adviser *a, dray_cel_spot *spot) {
    return rewrite(a, put_sign);
}

static size_t put_unit(dray_cel_adviser *a, dray_str text, size_t i, dray_buf *out) {
    if (!isdigit((unsigned char)text.p[i]) ||
        (i > 0 && (is_name(text.p[i - 1]) || text.p[i - 1] == '.')))
        return 0;
    size_t n = i;
    while (n < text.n && (isdigit((unsigned char)text.p[n]) || text.p[n] == '.'))
        n++;
    dray_str digits = dray_str_slice(text, i, n);
    while (n < text.n && text.p[n] == ' ')
        n++;
    size_t end = n;
    while (end < text.n && is_name(text.p[end]))
        end++;
    dray_str unit = dray_str_slice(text, n, end);
    for (size_t k = 0; k < DRAY_COUNT(units); k++) {
        if (!dray_str_is(unit, units[k]))
            continue;
        dray_buf_addf(out, "quantity('" DRAY_FMT DRAY_FMT "')", DRAY_ARG(digits), DRAY_ARG(unit));
        dray_cel_note_add(a,
                          "CEL has no units: an amount with one is a quantity, "
                          "quantity('" DRAY_FMT DRAY_FMT "')",
                          DRAY_ARG(digits), DRAY_ARG(unit));
        return end - i;
    }
    return 0;
}

bool dray_cel_mistake_bare_unit(dray_cel_adviser *a, dray_cel_spot *spot) {
    return rewrite(a, put_unit);
}

/* --- quotes and brackets --- */

static size_t open_string(dray_str text) {
    for (size_t i = 0; i < text.n; i++) {
        if (!is_quote(text.p[i]))
            continue;
        size_t end = skip_string(text, i);
        if (end > text.n)
            return i;
        i = end - 1;
    }
    return SIZE_MAX;
}

/* With `with` put in place of the bytes [from, to): does no string stay open, and does it parse, if
 * that is asked for? */
static bool try_text(dray_cel_adviser *a, size_t from, size_t to, char with, bool parse) {
    dray_str made = dray_strf(a->arena, DRAY_FMT "%c" DRAY_FMT, (int)from, a->text.p, with,
                              DRAY_ARG(dray_str_slice(a->text, to, a->text.n)));
    dray_cel_ast *ast;
    if (open_string(made) != SIZE_MAX || (parse && !dray_cel_advice_parses(a, made, &ast)))
        return false;
    a->text = made;
    return true;
}

static bool close_string(dray_cel_adviser *a, size_t at, bool parse) {
    char quote = a->text.p[at];
    char other = quote == '\'' ? '"' : '\'';
    size_t end = a->text.n;
    while (end > at + 1 && isspace((unsigned char)a->text.p[end - 1]))
        end--;
    for (size_t i = at + 1; i < end; i++) /* closed by the other quote */
        if (a->text.p[i] == other && try_text(a, i, i + 1, quote, parse))
            return true;
    for (size_t i = at + 1; i < end; i++) /* before what can't be part of a name */
        if (strchr("]) &|", a->text.p[i]) != NULL && try_text(a, i, i, quote, parse))
            return true;
    return try_text(a, end, end, quote, parse);
}

bool dray_cel_mistake_open_quote(dray_cel_adviser *a, dray_cel_spot *spot) {
    size_t at = open_string(a->text);
    if (at == SIZE_MAX)
        return false;
    char quote = a->text.p[at];
    bool done = false;
    for (size_t i = 0; i < at && !done; i++) /* one before it may have swallowed the quote */
        done = is_quote(a->text.p[i]) && close_string(a, i, true);
    done = done || close_string(a, at, true);
    if (!done && at > 0) { /* the quote that opens may be missing: 'x' == y' */
        size_t begin = at;
        while (begin > 0 && (is_name(a->text.p[begin - 1]) || strchr(".-", a->text.p[begin - 1])))
            begin--;
        done = try_text(a, begin, begin, quote, true);
    }
    if (done)
        dray_cel_note_add(a, "the string that begins at column %zu is never closed", at + 1);
    return done;
}

/* As a last try: closed somewhere, so that what is left can be looked at. */
bool dray_cel_mistake_any_quote(dray_cel_adviser *a, dray_cel_spot *spot) {
    size_t at = open_string(a->text);
    if (at == SIZE_MAX || !close_string(a, at, false))
        return false;
    dray_cel_note_add(a, "the string that begins at column %zu is never closed", at + 1);
    return true;
}

enum { REPAIR_BYTES = 1024 };

static bool accept(dray_cel_adviser *a, dray_str made) {
    if (!dray_cel_advice_compiles(a, made))
        return false;
    a->text = made;
    return true;
}

/* One sign that is too many, or that has changed places with its neighbour, or a quote that is
 * missing: tried where it may be, and taken only if the whole compiles then. */
bool dray_cel_mistake_stray_sign(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_str t = a->text;
    if (t.n > REPAIR_BYTES)
        return false;
    for (size_t i = 1; i + 1 < t.n; i++) { /* "> =" */
        dray_str rest = dray_str_slice(t, i + 1, t.n);
        if (t.p[i] == ' ' && strchr("=<>!&|", t.p[i - 1]) != NULL &&
            accept(a, dray_strf(a->arena, DRAY_FMT DRAY_FMT, (int)i, t.p, DRAY_ARG(rest)))) {
            dray_cel_note_add(a, "an operator is written without blanks in it");
            return true;
        }
    }
    for (size_t i = 0; i < t.n; i++) {
        if (strchr("'\"[](){}.,=<>!&|", t.p[i]) == NULL)
            continue;
        dray_str rest = dray_str_slice(t, i + 1, t.n);
        if (accept(a, dray_strf(a->arena, DRAY_FMT DRAY_FMT, (int)i, t.p, DRAY_ARG(rest)))) {
            dray_cel_note_add(a, "the '%c' at column %zu is one too many", t.p[i], i + 1);
            return true;
        }
        for (size_t k = i > 0 ? i - 1 : i; k <= i && k + 1 < t.n; k++) {
            rest = dray_str_slice(t, k + 2, t.n);
            if (!accept(a, dray_strf(a->arena, DRAY_FMT "%c%c" DRAY_FMT, (int)k, t.p, t.p[k + 1],
                                     t.p[k], DRAY_ARG(rest))))
                continue;
            dray_cel_note_add(a, "the '%c' at column %zu stands one place off", t.p[i], i + 1);
            return true;
        }
    }
    for (size_t i = 0; i < t.n; i++) {
        dray_str rest = dray_str_slice(t, i, t.n);
        if ((i != 0 && strchr("[( =,", t.p[i - 1]) == NULL) ||
            !accept(a, dray_strf(a->arena, DRAY_FMT "'" DRAY_FMT, (int)i, t.p, DRAY_ARG(rest))))
            continue;
        dray_cel_note_add(a, "a quote is missing at column %zu", i + 1);
        return true;
    }
    return false;
}

enum { NESTING = 200 };

bool dray_cel_mistake_open_bracket(dray_cel_adviser *a, dray_cel_spot *spot) {
    static const char opening[] = "([{", closing[] = ")]}";
    char open[NESTING];
    size_t n = 0;
    for (size_t i = 0; i < a->text.n && n < NESTING; i++) {
        char c = a->text.p[i];
        if (is_quote(c)) {
            i = skip_string(a->text, i) - 1;
            continue;
        }
        const char *found = c != '\0' ? strchr(closing, c) : NULL;
        if (c != '\0' && strchr(opening, c) != NULL) {
            open[n++] = closing[strchr(opening, c) - opening];
        } else if (found != NULL && n > 0 && open[n - 1] == c) {
            n--;
        } else if (found != NULL) {
            /* Nothing, or something else, is open. */
            a->text = n == 0
                          ? dray_strf(a->arena, DRAY_FMT DRAY_FMT, (int)i, a->text.p,
                                      DRAY_ARG(dray_str_slice(a->text, i + 1, a->text.n)))
                          : dray_strf(a->arena, DRAY_FMT "%c" DRAY_FMT, (int)i, a->text.p,
                                      open[n - 1], DRAY_ARG(dray_str_slice(a->text, i, a->text.n)));
            dray_cel_note_add(a,
                              n == 0
                                  ? "the %c at column %zu closes nothing"
                                  : "before the %c at column %zu another bracket is to be closed",
                              c, i + 1);
            return true;
        }
    }
    if (n == 0 || n == NESTING)
        return false;
    size_t end = a->text.n;
    while (end > 0 && isspace((unsigned char)a->text.p[end - 1]))
        end--;
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_buf_str_add(&out, dray_str_slice(a->text, 0, end));
    for (size_t i = n; i-- > 0;)
        dray_buf_putc(&out, open[i]);
    a->text = dray_str_dup(a->arena, dray_buf_str(&out));
    dray_cel_note_add(a, n == 1 ? "a bracket is never closed" : "brackets are never closed");
    return true;
}

/* The same where nothing else is wrong. */
bool dray_cel_mistake_only_bracket(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_str before = a->text;
    size_t n = a->notes.n;
    if (dray_cel_mistake_open_bracket(a, spot) && dray_cel_advice_compiles(a, a->text))
        return true;
    a->text = before;
    a->notes.n = n;
    return false;
}
