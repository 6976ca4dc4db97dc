/* What kernels share whose products are made by the matrix units (gbs_multiply): strips of rows in
 * shared memory.
 *
 * Rows lie `stride` numbers apart there, 4 more than a multiple of 16: then the 16 lanes that read
 * at a time, four rows of four numbers or four columns of four rows, meet no bank twice.
 */

/* Begins to copy `count` rows of ld numbers. */
GBS_DEVICE void copy_rows(double *to, unsigned int stride, const double *from, unsigned int ld,
                          unsigned int count) {
    unsigned int half = ld / 2;
    for (unsigned int c = threadIdx.x; c < count * half; c += GBS_CUDA_THREADS)
        gbs_copy_begin(to + c / half * stride + c % half * 2, from + c / half * ld + c % half * 2);
}

/* Zeros behind the ld numbers of each row. */
GBS_DEVICE void clear_behind(double *to, unsigned int stride, unsigned int ld,
                             unsigned int count) {
    unsigned int behind = stride - ld;
    for (unsigned int c = threadIdx.x; c < count * behind; c += blockDim.x)
        to[c / behind * stride + ld + c % behind] = 0.0;
}

/* Of 16 x 8 numbers, row after row, the four that a lane has; x: where they begin. */
GBS_DEVICE void take_rows(double *a, const double *x, unsigned int stride,
                          unsigned int lane) {
    const double *at = x + lane / 4 * stride + lane % 4;
    a[0] = at[0];
    a[1] = at[8 * stride];
    a[2] = at[4];
    a[3] = at[8 * stride + 4];
}

/* Which of eight rows is column c of a product of 16 x 8: so that neither those of 0 .. 3, which
 * are read together, nor those of 0, 2, 4, 6 are 4 apart. */
GBS_DEVICE unsigned int row_of_column(unsigned int c) {
    return c < 4 ? c : c ^ 1u;
}

/* product[j] = 16 rows of `a` times 8 rows of `b` each, all of `steps` times 8 numbers. */
#define GBS_STRIP_TILES 4
GBS_DEVICE void meet_rows(double product[GBS_STRIP_TILES][4], const double *a, const double *b,
                          unsigned int stride, unsigned int steps, unsigned int lane) {
    const double *other = b + row_of_column(lane / 4) * stride + lane % 4;
    GBS_UNROLL
    for (int j = 0; j < GBS_STRIP_TILES; j++)
        product[j][0] = product[j][1] = product[j][2] = product[j][3] = 0.0;
    for (unsigned int k = 0; k < steps; k++) {
        double left[4];
        take_rows(left, a + 8 * k, stride, lane);
        GBS_UNROLL
        for (int j = 0; j < GBS_STRIP_TILES; j++) {
            const double *at = other + (unsigned int)j * 8 * stride + 8 * k;
            double right[2] = {at[0], at[4]};
            gbs_multiply(product[j], left, right);
        }
    }
}
