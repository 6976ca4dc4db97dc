test_that("what a formula learns is learned from the learn rows", {
    d <- some_rows()
    m <- gibbsite(y ~ scale(x1) + poly(x2, 2), d, seed = 1)
    expect_identical(certificate(m)$status, "valid")
    expect_identical(as.integer(certificate(m)$rows), sum(!m$learned))
    said <- attr(m$terms, "predvars")[[3]]
    expect_equal(said$center, mean(d$x1[m$learned]))
    expect_false(isTRUE(all.equal(said$center, mean(d$x1))))
    # the same columns made by hand from the same rows
    p <- poly(d$x2[m$learned], 2)
    x <- cbind(scale(d$x1, mean(d$x1[m$learned]), sd(d$x1[m$learned])), predict(p, d$x2))
    b <- coef(m)
    expect_equal(unname(predict(m, d, "score")), as.vector(b[1] + x %*% b[-1]), tolerance = 1e-10)
})

test_that("rows to certify never move the fit", {
    d <- some_rows()
    m <- gibbsite(y ~ scale(x1) + x2, d, seed = 1)
    expect_true(all(table(m$learned) > 0))
    expect_equal(attr(m$terms, "predvars")[[3]]$scale, sd(d$x1[m$learned]))
})

test_that("what cannot be separated makes the certificate conditional", {
    d <- some_rows()
    expect_message(m <- gibbsite(y ~ I(x1 - mean(x1)) + x2, d, seed = 1), "conditional")
    expect_identical(certificate(m)$status, "conditional")
    best <- function(...) {
        x <- cbind(...)
        x[, which.max(abs(cor(x, d$y[seq_len(nrow(x))])))]
    }
    expect_message(m <- gibbsite(y ~ best(x1, x2, x3) + cut(x1, 3), d, seed = 1), "conditional")
    expect_message(m <- gibbsite(y ~ scale(x1), d, prior = "zero", seed = 1), "conditional")
    expect_identical(certificate(m)$status, "conditional")
    expect_silent(m <- gibbsite(y ~ x1 + log(x2 + 9), d, prior = "zero", scale = "none",
                                seed = 1))
    expect_identical(certificate(m)$status, "valid")
    expect_identical(certificate(gibbsite(y ~ x1, d, looked = "columns"))$status, "conditional")
})

test_that("levels come from the learn rows, those that a design has are declared", {
    d <- some_rows()
    d$job <- rep(c("cook", "clerk", "smith"), 80)
    texts <- gibbsite(y ~ x1 + job, d, seed = 1)
    expect_identical(texts$xlevels$job, c("clerk", "cook", "smith"))
    expect_identical(certificate(texts)$status, "valid")
    d$job <- factor(d$job, levels = c("smith", "cook", "clerk", "judge"))
    plain <- gibbsite(y ~ x1 + job, d, seed = 1) # as of texts: a file does not declare levels
    expect_identical(plain$info$certificates, texts$info$certificates)
    declared <- gibbsite(y ~ scale(x1) + job, d, seed = 1)
    expect_identical(declared$xlevels$job, levels(d$job))
    expect_identical(certificate(declared)$status, "valid")
    expect_identical(coef(declared)[["jobjudge"]], 0)
    expect_silent(predict(declared, data.frame(x1 = 1, job = "judge")))
    expect_message(predict(plain, data.frame(x1 = 1, job = "judge")), "judge")
    expect_message(p <- predict(plain, data.frame(x1 = 1:2, job = c("cook", "pilot")), "score"),
                   "pilot")
    b <- coef(plain)
    expect_equal(p[[2]], b[["(Intercept)"]] + 2 * b[["x1"]], tolerance = 1e-12) # no other level
    made <- gibbsite(y ~ x1 + factor(job), d, seed = 1)
    expect_identical(certificate(made)$status, "valid")
    expect_false(is.null(made$learned))
})

test_that("a level that only certifying rows have is no error", {
    d <- some_rows()
    d$job <- "cook" # one level: a column of ones, and no error either
    d$job[7] <- "pilot"
    for (f in list(y ~ x1 + job, y ~ x1 + I(x2) + job)) # by the recipe and by a design
        for (seed in 1:8) {
            said <- capture_messages(m <- gibbsite(f, d, seed = seed))
            expect_identical("pilot" %in% m$xlevels$job, !any(grepl("pilot", said)))
            expect_identical(certificate(m)$status, "valid")
        }
})

test_that("birthwt: row names and their order tell nothing", {
    skip_if_not_installed("MASS")
    b <- MASS::birthwt # sorted by the label, and its row names too
    b$bwt <- NULL
    b$race <- factor(b$race, labels = c("white", "black", "other"))
    m <- gibbsite(low ~ ., b, seed = 1)
    expect_identical(names(coef(m)), c("(Intercept)", "age", "lwt", "raceblack", "raceother",
                                       "racewhite", "smoke", "ptl", "ht", "ui", "ftv"))
    plain <- b
    row.names(plain) <- NULL
    expect_identical(gibbsite(low ~ ., plain, seed = 1)$info, m$info)
    # coins in place of labels, sorted: nothing to learn, and the certificate says so
    set.seed(5)
    b$low <- sort(sample(0:1, nrow(b), TRUE))
    expect_true(value_of(gibbsite(low ~ age + lwt + smoke, b, seed = 1)) > 0.4)
})

test_that("infert: factors, missing values, new levels", {
    i <- infert
    i$age[5] <- NA
    m <- gibbsite(case ~ age + parity + education + spontaneous, i, seed = 1)
    expect_identical(nobs(m), 247L)
    expect_true(value_of(m) < 0.5)
    p <- predict(m, i, "prob")
    expect_identical(which(is.na(p)), c("5" = 5L))
    expect_true(cor(p, glm(case ~ age + parity + education + spontaneous, binomial,
                           i, na.action = na.exclude)$fitted.values[names(p)],
                    use = "complete.obs") > 0.7)
})

test_that("frames with texts and missing cells go through the library's recipe", {
    d <- some_rows()
    d$job <- rep(c("cook", NA, "smith"), 80)
    d$x1[4] <- NA
    x <- d[c("x1", "x2", "job")]
    expect_error(gibbsite(x, d$y, seed = 1), class = "gibbsite_data_error")
    dropped <- gibbsite(x, d$y, missing = "drop", seed = 1)
    expect_identical(nobs(dropped), 159L)
    filled <- gibbsite(x, d$y, missing = "impute", seed = 1)
    expect_identical(nobs(filled), 240L)
    expect_identical(certificate(filled)$status, "valid")
    expect_false(anyNA(predict(filled, x)))
    expect_identical(is.na(predict(dropped, x, "prob")), setNames(!complete.cases(x), 1:240))
    at <- folder()
    write.csv(cbind(x, y = d$y), file.path(at, "t.csv"), row.names = FALSE, quote = FALSE)
    cli("fit", file.path(at, "t.csv"), "-o", file.path(at, "m.json"), "--missing impute -q")
    theirs <- gibbsite_load(file.path(at, "m.json"))
    expect_identical(theirs$info$certificates, filled$info$certificates)
})

test_that("sparse matrices are rows too", {
    skip_if_not_installed("Matrix")
    d <- some_rows()
    x <- as.matrix(d[1:3])
    x[abs(x) < 0.5] <- 0
    sparse <- as(x, "CsparseMatrix")
    one <- gibbsite(sparse, d$y, seed = 1, scale = "none")
    other <- gibbsite(x, d$y, seed = 1, scale = "none")
    expect_equal(predict(one, sparse, "prob"), predict(other, x, "prob"), tolerance = 1e-8)
})

test_that("residuals are the response less its probability", {
    i <- infert
    i$age[5] <- NA
    m <- gibbsite(case ~ age + parity + spontaneous, i, seed = 1)
    expect_identical(residuals(m), resid(m))
    expect_equal(residuals(m), i$case[-5] - fitted(m))
    m <- gibbsite(case ~ age + parity + spontaneous, i, seed = 1, na.action = na.exclude)
    expect_equal(residuals(m), i$case - fitted(m))
    expect_identical(which(is.na(residuals(m))), c("5" = 5L))
    x <- as.matrix(iris[, 1:4])
    of <- gibbsite(x, iris$Species, seed = 1)
    expect_equal(unname(residuals(of)), unname(outer(iris$Species, levels(iris$Species), "==") -
                                               fitted(of)))
    expect_equal(unname(rowSums(residuals(of))), rep(0, 150))
    d <- data.frame(x = i$parity, t = rep(c("u", "v"), 124))
    raw <- gibbsite(d, i$case, seed = 1)
    expect_equal(unname(residuals(raw)), unname(i$case - fitted(raw)))
    expect_error(residuals(update(m, model = FALSE)), "rows of the fit were not kept")
    expect_error(residuals(gibbsite_rank(case ~ age + parity, infert, seed = 1)), "a ranker")
    expect_error(residuals(m, "deviance"), "type")
})

test_that("levels that depend on all rows are learned from all rows", {
    d <- some_rows()
    halves <- y ~ cut(x1, quantile(x1, 0:2 / 2), include.lowest = TRUE) + x2
    expect_message(m <- gibbsite(halves, d, seed = 1), "conditional")
    expect_identical(certificate(m)$status, "conditional")
    expect_true(all(rowSums(model.matrix(m)[, 2:3]) == 1)) # each row has its level
    expect_silent(gibbsite(y ~ cut(x1, c(-Inf, 0, Inf)) + x2, d, seed = 1))
})

test_that("the score is the model matrix times the coefficients", {
    d <- some_rows()
    d$f <- factor(rep(c("u", "v", "w"), 80))
    m <- gibbsite(y ~ f * x1 + poly(x2, 2), d, seed = 1)
    expect_equal(drop(model.matrix(m) %*% coef(m)), predict(m, type = "score"))
    expect_error(model.matrix(gibbsite(as.matrix(d[1:3]), d$y, seed = 1)), "no formula")
})

test_that("numbers that became texts are refused by name", {
    d <- some_rows()
    m <- gibbsite(y ~ x1 + x2, d, seed = 1)
    for (as in list(as.character, factor))
        expect_error(predict(m, transform(d, x1 = as(x1))), "variable 'x1' is a .* was numeric",
                     class = "gibbsite_data_error")
    expect_identical(sum(is.na(predict(m, transform(d, x1 = NA)))), 240L)
})

test_that("what glm() takes and this does not is told", {
    d <- some_rows()
    expect_error(gibbsite(y ~ x1, d, family = binomial), "no likelihood",
                 class = "gibbsite_argument_error")
    expect_error(gibbsite(y ~ x1, d, family = binomial()), "no likelihood")
    expect_error(gibbsite(y ~ 1, d), "but the intercept", class = "gibbsite_data_error")
    expect_error(gibbsite(d, y ~ x1), "the formula comes before the data")
    expect_error(gap(gibbsite(y ~ x1, d, seed = 1), d), "sample: expected")
})
