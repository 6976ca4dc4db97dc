# Matrices of the package Matrix, and rows to come with missing cells.

test_that("columns of sparse matrices are found by their names", {
    skip_if_not_installed("Matrix")
    d <- some_rows(d = 4)
    x <- Matrix::Matrix(as.matrix(d[1:4]), sparse = TRUE)
    m <- gibbsite(x, d$y, seed = 1)
    expect_identical(predict(m, x[, 4:1], "prob"), predict(m, x, "prob"))
    expect_identical(predict(m, cbind(x, more = 1), "prob"), predict(m, x, "prob"))
    expect_error(predict(m, x[, 1:2]), "there is no column 'x3'", class = "gibbsite_data_error")
    bare <- gibbsite(unname(x), d$y, seed = 1)
    expect_equal(unname(predict(bare, unname(x), "prob")), unname(predict(m, x, "prob")))
})

test_that("every kind of matrix is rows", {
    skip_if_not_installed("Matrix")
    d <- some_rows(d = 4)
    plain <- as.matrix(d[1:4])
    sparse <- as(plain, "CsparseMatrix")
    m <- gibbsite(sparse, d$y, seed = 1)
    for (kind in c("TsparseMatrix", "RsparseMatrix", "unpackedMatrix")) {
        other <- as(sparse, kind)
        same <- gibbsite(other, d$y, seed = 1)
        expect_equal(predict(same, other, "prob"), predict(m, sparse, "prob"), tolerance = 1e-8)
        expect_equal(predict(m, other, "prob"), predict(m, sparse, "prob"), tolerance = 1e-12)
    }
    expect_identical(nobs(gibbsite(sparse > 0, d$y, seed = 1)), 240L)
    expect_identical(nobs(gibbsite_rank(sparse > 0, d$y, seed = 1)), 240L)
    expect_s3_class(gibbsite_sample(as(sparse, "TsparseMatrix"), d$y, particles = 16, seed = 1),
                    "gibbsite_sample")
})

test_that("a cell of a sparse matrix that is no number is named, and has no prediction", {
    skip_if_not_installed("Matrix")
    d <- some_rows()
    x <- Matrix::Matrix(as.matrix(d[1:3]), sparse = TRUE)
    gone <- x
    gone[9, "x2"] <- NA
    expect_error(gibbsite(gone, d$y), "row 9, column x2: NA", class = "gibbsite_data_error")
    expect_error(gibbsite(unname(gone), d$y), "row 9, column 2: NA")
    m <- gibbsite(x, d$y, seed = 1)
    p <- predict(m, gone, "prob")
    expect_identical(unname(which(is.na(p))), 9L)
    expect_identical(p[-9], predict(m, x, "prob")[-9])
})

test_that("rows to come may have missing cells where those of the fit had none", {
    d <- some_rows()
    x <- as.matrix(d[1:3])
    full <- gibbsite(x, d$y, seed = 1)
    for (rows in list(x, d[1:3])) {
        gone <- rows
        gone[5, 2] <- NA
        filled <- gibbsite(rows, d$y, missing = "impute", seed = 1)
        expect_identical(value_of(filled), value_of(full))
        expect_equal(unname(predict(filled, rows, "prob")), unname(predict(full, x, "prob")))
        expect_false(anyNA(predict(filled, gone, "prob")))
        dropped <- gibbsite(rows, d$y, missing = "drop", seed = 1)
        expect_identical(unname(which(is.na(predict(dropped, gone, "prob")))), 5L)
        expect_true(is.finite(gap(filled, particles = 16, seed = 1)$gap))
    }
    gone <- x
    gone[5, 2] <- NA
    m <- gibbsite(gone, d$y, missing = "impute", seed = 1)
    expect_false(anyNA(predict(m, gone))) # a matrix, as it was fitted to
    expect_true(is.finite(gap(m, particles = 16, seed = 1)$gap)) # learned once more, as it was
})

test_that("rows and columns of ratings are called as elsewhere", {
    skip_if_not_installed("Matrix")
    r <- gibbsite_simulate("ratings", rows = 40, cols = 30, density = 0.3, seed = 1)
    r$row <- r$row * 100000
    m <- gibbsite_complete(r, rank = 1, seed = 1)
    expect_true(all(c("100000", "4000000") %in% m$info$row_names))
    value <- predict(m, 100000, 3)
    expect_identical(predict(m, 100000L, 3L), value)
    expect_identical(predict(m, "100000", "3"), value)
    expect_identical(gibbsite_top(m, 1e5, 2), gibbsite_top(m, "100000", 2))
    half <- gibbsite_complete(r$row + 0.5, r$col, r$value, rank = 1, seed = 1)
    expect_true("100000.5" %in% half$info$row_names)
    sparse <- Matrix::sparseMatrix(i = r$row / 100000, j = r$col, x = r$value,
                                   dimnames = list(paste0("r", 1:40), NULL))
    cells <- Matrix::summary(sparse)
    expect_identical(predict(gibbsite_complete(sparse, rank = 1, seed = 1), "r3", 2),
                     predict(gibbsite_complete(paste0("r", cells$i), cells$j, cells$x, rank = 1,
                                               seed = 1), "r3", 2))
})

test_that("labels of a file are written as elsewhere", {
    d <- some_rows()
    for (values in list(c(100000, 200000), c(0.1, 0.3), c(-2, 1e6))) {
        m <- gibbsite(as.matrix(d[1:3]), values[1 + (d$y > 0)], seed = 1)
        file <- file.path(folder(), "model.json")
        gibbsite_save(m, file)
        text <- paste(readLines(file), collapse = "")
        for (label in c("100000", "0.1", "-2")[match(values[1], c(100000, 0.1, -2))])
            expect_match(text, paste0("\"negative\": *\"", label, "\""))
        expect_equal(sort(unique(predict(gibbsite_load(file), as.matrix(d[1:3])))), values)
    }
})
