/* jget FILE [PATH]: the value at PATH in a JSON file ("-": standard input), for the shell tests.
 *
 *   certificate.value    a member of a member
 *   path[0].lambda       the first element (path.0.lambda does as well)
 *   path.#               how many elements or members
 *
 * Strings come without quotes, reals with all 17 digits, arrays and objects as compact JSON.
 * Exit 1: nothing at that path; 2: no JSON there.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND = 0, ABSENT = 1, UNREADABLE = 2 };

static json_t *step(json_t *value, const char *key) {
    if (json_is_object(value))
        return json_object_get(value, key);
    if (!json_is_array(value))
        return NULL;
    char *end;
    unsigned long long index = strtoull(key, &end, 10);
    return *key != '\0' && *end == '\0' ? json_array_get(value, (size_t)index) : NULL;
}

static size_t count(const json_t *value) {
    return json_is_object(value) ? json_object_size(value) : json_array_size(value);
}

static int print(const json_t *value) {
    if (json_is_string(value)) {
        puts(json_string_value(value));
    } else if (json_is_real(value)) {
        printf("%.17g\n", json_real_value(value));
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
        if (text == NULL)
            return UNREADABLE;
        puts(text);
        free(text);
    }
    return FOUND;
}

static int look_up(json_t *root, char *path) {
    json_t *value = root;
    char *rest = NULL;
    for (char *key = strtok_r(path, ".[]", &rest); key != NULL;
         key = strtok_r(NULL, ".[]", &rest)) {
        if (strcmp(key, "#") == 0) {
            printf("%zu\n", count(value));
            return FOUND;
        }
        value = step(value, key);
        if (value == NULL) {
            fprintf(stderr, "jget: no %s\n", key);
            return ABSENT;
        }
    }
    return print(value);
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        fputs("usage: jget FILE [PATH]\n", stderr);
        return UNREADABLE;
    }
    json_error_t error;
    json_t *root = strcmp(argv[1], "-") == 0 ? json_loadf(stdin, JSON_DECODE_ANY, &error)
                                             : json_load_file(argv[1], JSON_DECODE_ANY, &error);
    if (root == NULL) {
        fprintf(stderr, "jget: %s, line %d: %s\n", argv[1], error.line, error.text);
        return UNREADABLE;
    }
    char everything[] = "";
    int rc = look_up(root, argc == 3 ? argv[2] : everything);
    json_decref(root);
    return rc;
}
