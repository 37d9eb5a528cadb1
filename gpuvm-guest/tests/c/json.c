// A JSON parser over the input: what is in it is counted, and a mistake is told with its place.
#include "guest.h"

static char source[4096];
static unsigned length, at;
static uint32_t objects, arrays, strings, numbers, names, deepest;
static int64_t sum;

enum kind { END, BEGIN_OBJECT, END_OBJECT, BEGIN_ARRAY, END_ARRAY, COLON, COMMA, STRING, NUMBER, WORD, WRONG };

static enum kind scan(void) {
    while (at < length && (source[at] == ' ' || source[at] == '\n' || source[at] == '\t' || source[at] == '\r')) at++;
    if (at == length) return END;
    char c = source[at];
    switch (c) {
    case '{': at++; return BEGIN_OBJECT;
    case '}': at++; return END_OBJECT;
    case '[': at++; return BEGIN_ARRAY;
    case ']': at++; return END_ARRAY;
    case ':': at++; return COLON;
    case ',': at++; return COMMA;
    case '"':
        at++;
        while (at < length && source[at] != '"') {
            if ((unsigned char)source[at] < 32) return WRONG;
            if (source[at] == '\\') {
                at++;
                if (at == length) return WRONG;
                switch (source[at]) {
                case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': break;
                case 'u':
                    for (int i = 0; i < 4; i++) {
                        char h = ++at < length ? source[at] : 0;
                        if (!(h >= '0' && h <= '9') && !((h | 32) >= 'a' && (h | 32) <= 'f')) return WRONG;
                    }
                    break;
                default: return WRONG;
                }
            }
            at++;
        }
        if (at == length) return WRONG;
        at++;
        return STRING;
    case 't': case 'f': case 'n': {
        const char *word = c == 't' ? "true" : c == 'f' ? "false" : "null";
        while (*word)
            if (at == length || source[at++] != *word++) return WRONG;
        return WORD;
    }
    default: {
        int negative = c == '-';
        int64_t value = 0;
        if (negative) at++;
        if (at == length || source[at] < '0' || source[at] > '9') return WRONG;
        while (at < length && source[at] >= '0' && source[at] <= '9') value = value * 10 + (source[at++] - '0');
        if (at < length && source[at] == '.') {
            at++;
            if (at == length || source[at] < '0' || source[at] > '9') return WRONG;
            while (at < length && source[at] >= '0' && source[at] <= '9') at++;
        }
        sum += negative ? -value : value;
        return NUMBER;
    }
    }
}

static int value(enum kind kind, uint32_t depth);

static int object(uint32_t depth) {
    enum kind kind = scan();
    if (kind == END_OBJECT) return 1;
    for (;;) {
        if (kind != STRING) return 0;
        names++;
        if (scan() != COLON || !value(scan(), depth)) return 0;
        kind = scan();
        if (kind == END_OBJECT) return 1;
        if (kind != COMMA) return 0;
        kind = scan();
    }
}

static int array(uint32_t depth) {
    enum kind kind = scan();
    if (kind == END_ARRAY) return 1;
    for (;;) {
        if (!value(kind, depth)) return 0;
        kind = scan();
        if (kind == END_ARRAY) return 1;
        if (kind != COMMA) return 0;
        kind = scan();
    }
}

static int value(enum kind kind, uint32_t depth) {
    if (depth > deepest) deepest = depth;
    switch (kind) {
    case BEGIN_OBJECT: objects++; return object(depth + 1);
    case BEGIN_ARRAY: arrays++; return array(depth + 1);
    case STRING: strings++; return 1;
    case NUMBER: numbers++; return 1;
    case WORD: return 1;
    default: return 0;
    }
}

int main(int argc, char **argv) {
    (void)argc;
    (void)argv;
    length = input(source, sizeof source);
    if (!value(scan(), 0) || scan() != END) {
        text("wrong at ");
        number(at);
        put('\n');
        return 1;
    }
    text("objects ");
    number(objects);
    text(" arrays ");
    number(arrays);
    text(" strings ");
    number(strings);
    text(" names ");
    number(names);
    text(" numbers ");
    number(numbers);
    text(" deepest ");
    number(deepest);
    text(" sum ");
    hex((uint64_t)sum, 16);
    put('\n');
    return 0;
}
