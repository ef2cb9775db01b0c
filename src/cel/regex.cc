/* Regular expressions in Go's language, by RE2: the one file that knows of it. */
#include "cel/regex.h"

#include <re2/re2.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>

struct dray_cel_regex {
    /* Made by the first that needs it: for plain patterns that is who asks where they match. */
    mutable std::unique_ptr<re2::RE2> made;
    mutable std::once_flag once;
    std::string pattern;
    /* A pattern that is plain text but for ^ or ^.* before and $ or .*$ after it is searched for
     * without RE2. */
    bool plain = false, at_start = false, at_end = false;
    bool first_line = false, last_line = false; /* ^.* and .*$: the dot stops at a line's end */
    std::string text;
    const re2::RE2 &re() const {
        std::call_once(once, [this] {
            re2::RE2::Options options;
            options.set_log_errors(false);
            options.set_max_mem(DRAY_CEL_REGEX_MEMORY);
            made = std::make_unique<re2::RE2>(pattern, options);
        });
        return *made;
    }
};

namespace {

/* What Go's regexp/syntax says for RE2's codes. */
const char *go_words(re2::RE2::ErrorCode code) {
    switch (code) {
    case re2::RE2::ErrorBadEscape:
        return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
        return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
        return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
        return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
        return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
        return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
        return "trailing backslash at end of expression: ``";
    case re2::RE2::ErrorRepeatArgument:
        return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
        return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
        return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
        return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
        return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
        return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
        return "expression too large";
    default:
        return "internal error";
    }
}

bool explain(const char *words, const std::string &about, char **ret_why) {
    std::string text = std::string("error parsing regexp: ") + words;
    if (!about.empty())
        text += ": `" + about + "`";
    *ret_why = static_cast<char *>(std::malloc(text.size() + 1));
    if (*ret_why != nullptr)
        std::memcpy(*ret_why, text.c_str(), text.size() + 1);
    return false;
}

/* (?<name> becomes (?P<name>; \C outside a class is refused, \Q…\E passes untouched. */
bool rewrite(const std::string &in, std::string *out, char **ret_why) {
    bool in_class = false;
    for (size_t i = 0; i < in.size(); i++) {
        if (in[i] == '\\' && i + 1 < in.size()) {
            if (in[i + 1] == 'Q') {
                size_t end = in.find("\\E", i + 2);
                end = end == std::string::npos ? in.size() : end + 2;
                out->append(in, i, end - i);
                i = end - 1;
                continue;
            }
            if (in[i + 1] == 'C' && !in_class)
                return explain("invalid escape sequence", "\\C", ret_why);
            out->append(in, i, 2);
            i++;
            continue;
        }
        if (in[i] == '[' && !in_class) {
            in_class = true;
            out->push_back(in[i]);
            /* A ] that comes first is an ordinary character. */
            if (i + 1 < in.size() && in[i + 1] == '^')
                out->push_back(in[++i]);
            if (i + 1 < in.size() && in[i + 1] == ']')
                out->push_back(in[++i]);
            continue;
        }
        if (in[i] == '[' && in_class && i + 1 < in.size() && in[i + 1] == ':') {
            size_t end = in.find(":]", i + 2);
            if (end != std::string::npos) {
                out->append(in, i, end + 2 - i);
                i = end + 1;
                continue;
            }
        }
        if (in[i] == ']' && in_class)
            in_class = false;
        if (!in_class && in.compare(i, 3, "(?<") == 0) {
            out->append("(?P<");
            i += 2;
            continue;
        }
        out->push_back(in[i]);
    }
    return true;
}

/* What Go shows of the pattern after its words. */
std::string about(const re2::RE2 &re, const std::string &pattern) {
    switch (re.error_code()) {
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen:
        return pattern;
    case re2::RE2::ErrorTrailingBackslash:
    case re2::RE2::ErrorPatternTooLarge:
        return "";
    default:
        return re.error_arg();
    }
}

/* Sees whether the pattern is of the plain form. */
void find_plain(const std::string &pattern, dray_cel_regex *re) {
    enum { PLAIN_MAX = 1000 }; /* far from any limit of RE2's */
    size_t from = 0, to = pattern.size();
    if (to > PLAIN_MAX)
        return;
    auto starts = [&](const char *with) {
        return pattern.compare(0, std::strlen(with), with) == 0;
    };
    auto ends = [&](const char *with) {
        size_t n = std::strlen(with);
        return to >= from + n && pattern.compare(to - n, n, with) == 0;
    };
    if (starts("^.*")) {
        re->first_line = true;
        from = 3;
    } else if (starts("^")) {
        re->at_start = true;
        from = 1;
    }
    if (ends(".*$")) {
        re->last_line = true;
        to -= 3;
    } else if (ends("$")) {
        re->at_end = true;
        to -= 1;
    }
    for (size_t i = from; i < to; i++)
        if (!std::isalnum(static_cast<unsigned char>(pattern[i])) &&
            std::strchr(" _-:/,", pattern[i]) == nullptr)
            return;
    re->text = pattern.substr(from, to - from);
    re->plain = to > from;
}

bool match_plain(const dray_cel_regex *re, const char *text, size_t n) {
    size_t from = 0, to = n, size = re->text.size();
    if (re->first_line)
        if (const void *end = std::memchr(text, '\n', n))
            to = static_cast<size_t>(static_cast<const char *>(end) - text);
    if (re->last_line)
        for (size_t i = n; i > 0 && text[i - 1] != '\n'; i--)
            from = i - 1;
    if (re->last_line && n > 0 && text[n - 1] == '\n')
        from = n;
    if (re->at_start)
        to = to < size ? to : size;
    if (re->at_end)
        from = n < size ? n : (from > n - size ? from : n - size);
    if (to < from || to - from < size || (re->at_end && to != n) || (re->at_start && from != 0))
        return false;
    return memmem(text + from, to - from, re->text.data(), size) != nullptr;
}

} // namespace

extern "C" bool dray_cel_regex_new(const char *text, size_t n, dray_cel_regex **ret,
                                   char **ret_why) try {
    std::string pattern(text, n);
    auto re = std::make_unique<dray_cel_regex>();
    if (!rewrite(pattern, &re->pattern, ret_why))
        return false;
    find_plain(pattern, re.get());
    if (!re->plain && !re->re().ok()) {
        explain(go_words(re->re().error_code()), about(re->re(), pattern), ret_why);
        return false;
    }
    *ret = re.release();
    return true;
} catch (...) {
    return explain("expression too large", "", ret_why);
}

extern "C" size_t dray_cel_regex_size(const dray_cel_regex *re) {
    int size = re->plain ? static_cast<int>(re->pattern.size()) : re->re().ProgramSize();
    return size > 0 ? static_cast<size_t>(size) : 0;
}

void dray_cel_regex_free(dray_cel_regex *re) {
    delete re;
}

extern "C" bool dray_cel_regex_match(const dray_cel_regex *re, const char *text, size_t n) try {
    if (re->plain)
        return match_plain(re, text, n);
    re2::StringPiece in(text, n);
    return re->re().Match(in, 0, n, re2::RE2::UNANCHORED, nullptr, 0);
} catch (...) {
    return false;
}

extern "C" bool dray_cel_regex_find(const dray_cel_regex *re, const char *text, size_t n,
                                    size_t from, size_t *ret_start, size_t *ret_end) try {
    re2::StringPiece in(text, n), found;
    if (from > n || !re->re().Match(in, from, n, re2::RE2::UNANCHORED, &found, 1))
        return false;
    *ret_start = static_cast<size_t>(found.data() - text);
    *ret_end = *ret_start + found.size();
    return true;
} catch (...) {
    return false;
}
