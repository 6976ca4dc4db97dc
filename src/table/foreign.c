/* Files that are no tables of text, by their first bytes: each is refused with what to do. */
#include "table/csv_cell.h"

#include <string.h>
#include <strings.h>

static const char *const binary[][2] = {
    {"PK\x03\x04", "a zip archive (a workbook of Excel or LibreOffice?); save the sheet as CSV"},
    {"\xd0\xcf\x11\xe0", "a workbook of an older Excel; save the sheet as CSV"},
    {"PAR1", "a Parquet file; write the table as CSV"},
    {"ARROW1", "an Arrow file; write the table as CSV"},
    {"\x89HDF", "an HDF5 file; write the table as CSV"},
    {"SQLite format 3", "a SQLite database; write the table as CSV"},
    {"%PDF-", "a PDF; the table has to be typed or copied into a CSV file"}};

/* A zip archive whose first file is an array: local file header, name of `length` bytes at 30. */
static bool is_npz(const gbs_bytes *b) {
    if (b->end - b->at < 30 || memcmp(b->at, "PK\x03\x04", 4) != 0)
        return false;
    size_t length = (size_t)(unsigned char)b->at[26] | (size_t)(unsigned char)b->at[27] << 8;
    return length > 4 && (size_t)(b->end - b->at) >= 30 + length &&
           memcmp(b->at + 30 + length - 4, ".npy", 4) == 0;
}

static bool starts(const gbs_bytes *b, const char *with, size_t n) {
    return (size_t)(b->end - b->at) >= n && memcmp(b->at, with, n) == 0;
}

/* Text of two or four bytes a character: by its mark, or by where its zeros are. NULL: neither. */
static const char *wide_text(const gbs_bytes *b) {
    size_t n = (size_t)(b->end - b->at);
    if (starts(b, "\xff\xfe\0\0", 4) || starts(b, "\0\0\xfe\xff", 4))
        return "UTF-32";
    if (starts(b, "\xff\xfe", 2) || starts(b, "\xfe\xff", 2))
        return "UTF-16";
    if (n < 4)
        return NULL;
    bool even = b->at[0] == '\0' && b->at[2] == '\0', odd = b->at[1] == '\0' && b->at[3] == '\0';
    return even == odd ? NULL : even ? "UTF-16BE" : "UTF-16LE";
}

static bool is_page(const gbs_bytes *b) {
    const char *p = b->at;
    while (p < b->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return b->end - p >= 9 &&
           (strncasecmp(p, "<!doctype", 9) == 0 || strncasecmp(p, "<html", 5) == 0);
}

/* An object, or a list of them: no cell begins so. */
static bool is_json(const gbs_bytes *b) {
    const char *p = b->at;
    if (p == b->end || (*p != '{' && *p != '['))
        return false;
    do
        p++;
    while (p < b->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'));
    return p < b->end && (*p == '"' || *p == '{' || *p == '[');
}

gbs_status gbs_refuse_foreign(gbs_reader *r) {
    const gbs_bytes *b = r->bytes;
    if (is_npz(b))
        return gbs_reader_fail(r, GBS_ERR_DATA,
                               "this is a .npz archive of NumPy arrays; numpy.save writes one "
                               "array, of rows and columns, as .npy");
    for (size_t k = 0; k < sizeof binary / sizeof *binary; k++)
        if (starts(b, binary[k][0], strlen(binary[k][0])))
            return gbs_reader_fail(r, GBS_ERR_DATA, "this is no text, but %s", binary[k][1]);
    const char *wide = wide_text(b);
    if (wide != NULL)
        return gbs_reader_fail(r, GBS_ERR_DATA,
                               "the file is %.6s text; expected UTF-8, which `iconv -f %s -t UTF-8 "
                               "%s > utf8.csv` makes of it",
                               wide, wide, r->file);
    if (is_page(b))
        return gbs_reader_fail(r, GBS_ERR_DATA,
                               "rows were expected, and this is an HTML page; did a download "
                               "fail?");
    if (is_json(b))
        return gbs_reader_fail_at(r, 1, "rows were expected, and this is JSON; is it a model?");
    return GBS_OK;
}
