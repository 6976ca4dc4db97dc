# What a hurried user hands in: used as it is meant, or refused in words of R.

with_text <- function(d) cbind(d[1:3], t = rep(c("u", "v"), length.out = nrow(d)))

test_that("codes of texts are not taken for numbers", {
    d <- some_rows(60)
    x <- with_text(d)
    expect_error(gibbsite_sample(x, d$y), "column 't' is a character")
    m <- gibbsite(d[1:3], d$y, seed = 1)
    expect_error(predict(m, transform(d[1:3], x2 = "a")), "column 'x2' is a character")
    expect_error(predict(m, transform(d[1:3], x2 = factor(x2))), "column 'x2' is a factor")
    m <- gibbsite(x, d$y, seed = 1)
    expect_error(predict(m, transform(x, x2 = "a")), "the fit had numbers there")
    expect_error(predict(m, transform(x, t = 1)), "the fit had texts there")
    twice <- setNames(d[1:3], c("a", "a", "b"))
    expect_error(gibbsite(twice, d$y), "two columns are called 'a'", class = "gibbsite_data_error")
    expect_error(gibbsite(as.matrix(twice), d$y), "two columns are called 'a'")
})

test_that("whole numbers of 64 bits are refused, which R takes for others", {
    d <- some_rows(60)
    long <- d
    long$id <- structure(rep(4.94e-324, 60), class = "integer64") # ones, as bit64 has them
    for (x in list(long[c("x1", "id")], local({
        text <- with_text(d)
        text$id <- long$id
        text
    })))
        expect_error(gibbsite(x, d$y, seed = 1), "column 'id' is an integer64",
                     class = "gibbsite_data_error")
    expect_error(gibbsite(y ~ x1 + id, long, seed = 1), "column 'id' is an integer64")
    expect_error(gibbsite_sample(long[c("x1", "id")], d$y), "column 'id' is an integer64")
    m <- gibbsite(transform(d[1:2], id = 1:60), d$y, seed = 1)
    expect_error(predict(m, long[c("x1", "x2", "id")]), "column 'id' is an integer64")
})

test_that("rows without anything to predict from are NA, and no rows are none", {
    d <- some_rows(60)
    x <- with_text(d)
    m <- gibbsite(x, d$y, seed = 1)
    expect_identical(unname(predict(m, transform(x[1:2, ], t = NA), "prob")), c(NA_real_, NA_real_))
    expect_length(predict(m, x[0, ]), 0)
    x$x1[3] <- NA
    filled <- gibbsite(x, d$y, missing = "impute", seed = 1)
    expect_false(anyNA(predict(filled, x[3, ], "prob")))
    at <- folder()
    gibbsite_save(filled, file.path(at, "m.json"))
    expect_identical(predict(gibbsite_load(file.path(at, "m.json")), x, "prob"),
                     predict(filled, x, "prob"))
    expect_error(predict(gibbsite(y ~ x1 + x2, d, seed = 1), d["x1"]), "no variable 'x2'")
})

test_that("a matrix with missing cells is filled, or not", {
    d <- some_rows(120)
    x <- as.matrix(d[1:3])
    x[seq(1, 120, 9), 2] <- NA
    m <- gibbsite(x, d$y, missing = "impute", seed = 1)
    expect_identical(value_of(m), value_of(gibbsite(as.data.frame(x), d$y, missing = "impute",
                                                    seed = 1)))
    expect_identical(certificate(m)$status, "valid")
    expect_error(gibbsite(x, d$y), "column x2")
    expect_error(gibbsite(x, d$y, missing = "guess"), "missing")
})

test_that("weights and groups of frames with texts go through the recipe", {
    d <- some_rows(120)
    x <- with_text(d)
    w <- ifelse(seq_len(120) %% 5 == 0, 0, 1 + seq_len(120) %% 2)
    m <- gibbsite(x, d$y, weights = w, seed = 1)
    less <- gibbsite(x[w > 0, ], d$y[w > 0], weights = w[w > 0], seed = 1)
    expect_identical(nobs(m), 96L)
    # but for what they assume, they say the same
    plain <- function(model) lapply(model$info$certificates, function(line)
        line[names(line) != "assumptions"])
    expect_identical(plain(m), plain(less))
    expect_true(any(grepl("weight 0", unlist(certificate(m)$assumptions))))
    expect_identical(predict(m, x, "prob"), predict(less, x, "prob"))
    grouped <- gibbsite(x, d$y, groups = rep(1:40, each = 3), seed = 1)
    expect_identical(certificate(grouped)$status, "valid")
    expect_true(certificate(grouped)$rows < 40)
    expect_error(gibbsite(x, d$y, weights = replace(w, 7, NA)), "weight of row 7 is NA")
    expect_error(gibbsite(x, d$y, groups = c(NA, 2:120)), "missing")
})

test_that("a weighted risk is certified with a largest weight", {
    d <- some_rows(240)
    w <- ifelse(d$x1 > 0.5, 4, 1)
    m <- gibbsite(y ~ ., d, weights = w, max_weight = 4, seed = 1)
    told <- certificates(m)
    line <- told[told$target == "weighted", ]
    plain <- certificates(gibbsite(y ~ ., d, weights = w, seed = 1))
    expect_identical(told[told$target != "weighted", "value"], plain$value)
    expect_true(line$empirical < line$value && line$value < 1 && line$status == "valid")
    expect_error(gibbsite(y ~ ., d, weights = w, max_weight = 3), "above `max_weight` 3")
    expect_error(gibbsite(y ~ ., d, max_weight = 3), "needs weights")
})

test_that("several classes are augmented, and charts that there are not are refused", {
    skip_if_not_installed("generics")
    m <- gibbsite(Species ~ ., iris, seed = 1)
    a <- generics::augment(m)
    expect_identical(a$.class, unname(predict(m)))
    expect_identical(a$.prob_setosa, unname(predict(m, type = "prob")[, "setosa"]))
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    expect_error(plot(m, "path"), "several classes")
    expect_error(plot(m, "reliability"), "two classes")
})

test_that("messages are about what R has", {
    d <- some_rows(120)
    expect_message(gibbsite(cbind(with_text(d), id = paste0("p", 1:120)), d$y, seed = 1),
                   "'id'.*leave it out of the rows")
    expect_error(gibbsite(Species ~ ., iris, groups = rep(1:50, 3)), "y == LABEL")
    expect_error(gibbsite(y ~ ., d, cost = c(-1, 2)), "two positive numbers")
    expect_error(gibbsite_complete(1:3, 1:3, 1:3, range = 5), "two numbers")
    expect_error(gibbsite_complete(c(1, NA), 1:2, 1:2), "is missing")
    expect_error(gibbsite_save(3, tempfile()), "takes a fit")
    expect_identical(nobs(gibbsite(x1 > 0 ~ x2, as.matrix(d), seed = 1)), 120L)
})
