test_that("a ranker certifies the AUC of its score", {
    d <- some_rows()
    r <- gibbsite_rank(y ~ ., d, seed = 1)
    expect_s3_class(r, "gibbsite")
    expect_identical(certificate(r)$risk, "1-auc")
    score <- predict(r, d)
    pairs <- outer(score[d$y > 0], score[d$y < 0], ">")
    expect_true(mean(pairs) > 1 - value_of(r))
    expect_identical(predict(gibbsite_rank(as.matrix(d[1:3]), d$y, seed = 1), as.matrix(d[1:3])),
                     unname(score))
    expect_error(predict(r, d, "class"), "scores")
    expect_output(print(r), "AUC")
})

test_that("samples of the posterior agree with the fit, and the gap is small", {
    d <- some_rows()
    m <- gibbsite(y ~ ., d, seed = 1)
    g <- gap(m, particles = 300, seed = 1)
    # KL is not negative; the estimate is within five standard errors of that
    expect_true(g$gap > -5 * max(g$gap_sd, 0.2) && g$gap < 5)
    expect_equal(g$gap, g$free_energy + g$log_z, tolerance = 1e-12)
    expect_output(print(g), "nats")
    s <- gibbsite_sample(y ~ ., d, particles = 200, seed = 1)
    expect_identical(dim(s$draws), c(200L, 4L))
    x <- cbind(scale(as.matrix(d[1:3])) * sqrt(240 / 239), 1)
    expect_equal(unname(predict(s, d, "vote")), rowMeans(tcrossprod(x, s$draws) > 0),
                 tolerance = 1e-10)
    file <- tempfile(fileext = ".rds")
    saveRDS(s, file)
    expect_identical(predict(readRDS(file), d), predict(s, d))
    expect_equal(vapply(s$info$coefficients, function(k) k$mean, 0), colMeans(s$draws))
    expect_identical(s$path$lambda[1], 0)
    expect_true(is.na(s$path$acceptance[1]) && all(diff(s$path$lambda) > 0))
    learned <- gibbsite(y ~ scale(x1) + poly(x2, 2), d, seed = 1)
    expect_false(is.null(learned$learned))
    g <- gap(learned, particles = 300, seed = 1)
    expect_equal(g$free_energy, learned$info$free_energy, tolerance = 1e-8)
    expect_true(g$gap > -5 * max(g$gap_sd, 0.2) && g$gap < 5)
})

test_that("samples are files of the command line", {
    d <- some_rows()
    s <- gibbsite_sample(y ~ ., d, particles = 64, seed = 1)
    at <- folder()
    gibbsite_save(s, file.path(at, "s.json"))
    write.csv(d, file.path(at, "d.csv"), row.names = FALSE, quote = FALSE)
    out <- read.csv(text = cli("predict", file.path(at, "s.json"), file.path(at, "d.csv")))
    expect_equal(out$prob, unname(predict(s, d, "vote")), tolerance = 1e-14)
    again <- gibbsite_load(file.path(at, "s.json"))
    expect_identical(unname(predict(again, d[3:1], "vote")), unname(predict(s, d, "vote")))
    expect_identical(unname(predict(again, d)), unname(predict(s, d)))
})

test_that("the sample of a fit keeps its labels and the names of its columns", {
    d <- some_rows(120)
    d$y <- factor(ifelse(d$y > 0, "yes", "no"))
    at <- folder()
    write.csv(d, file.path(at, "d.csv"), row.names = FALSE, quote = FALSE)
    for (m in list(gibbsite(y ~ ., d, seed = 1), gibbsite(d[1:3], d$y, seed = 1))) {
        s <- gibbsite_sample(m, particles = 64, seed = 1)
        gibbsite_save(s, file.path(at, "s.json"))
        again <- gibbsite_load(file.path(at, "s.json"))
        expect_identical(unname(predict(again, d[3:1])), unname(predict(s, d)))
        expect_identical(unname(predict(again, d[3:1], "vote")), unname(predict(s, d, "vote")))
        out <- read.csv(text = cli("predict", file.path(at, "s.json"), file.path(at, "d.csv")))
        expect_equal(out$prob, unname(predict(s, d, "vote")), tolerance = 1e-14)
    }
})

test_that("a fit that starts from another ends where it would", {
    d <- some_rows(400)
    before <- gibbsite(y ~ ., d[1:300, ], loss = "hinge", seed = 1)
    cold <- gibbsite(y ~ ., d, loss = "hinge", seed = 1)
    warm <- gibbsite(y ~ ., d, loss = "hinge", start = before, seed = 1)
    again <- gibbsite(y ~ ., d, loss = "hinge", start = cold, seed = 1)
    expect_equal(coef(warm), coef(cold), tolerance = 1e-3)
    expect_identical(value_of(warm), value_of(cold))
    expect_true(warm$info$iterations <= cold$info$iterations)
    expect_true(again$info$iterations < cold$info$iterations)
    expect_error(gibbsite(y ~ x1, d, start = cold), "columns")
    expect_error(gibbsite(y ~ ., d, start = "cold"), "start")
    r <- gibbsite_rank(as.matrix(d[1:3]), d$y, seed = 1)
    expect_equal(predict(gibbsite_rank(as.matrix(d[1:3]), d$y, start = r, seed = 1), d[1:3]),
                 predict(r, d[1:3]), tolerance = 1e-2)
})

bare <- function(d) {
    attr(d, "truth") <- NULL
    d
}

test_that("simulated rows and ratings are those of the command line", {
    at <- folder()
    file <- file.path(at, "s.csv")
    for (shape in c("linear", "xor", "rings", "waves")) {
        cli("simulate", "classify", "--rows", 100, "--cols", 4, "--seed", 7, "--skip", 3,
            "--shape", shape, "-q", "-o", file)
        d <- gibbsite_simulate(rows = 100, cols = 4, shape = shape, skip = 3, seed = 7)
        expect_equal(bare(d), read.csv(file), tolerance = 1e-12)
    }
    cli("simulate", "rank", "--rows", 100, "--cols", 4, "--seed", 7, "-q", "-o", file)
    d <- gibbsite_simulate("rank", rows = 100, cols = 4, seed = 7)
    expect_equal(bare(d), read.csv(file), tolerance = 1e-12)
    expect_identical(attr(d, "truth")$best_auc, 0.9)
    for (more in list(list(), list(skew = 1, biases = FALSE), list(positions = "informed", skip = 5,
                                                                   range = c(1, 5)))) {
        words <- c(list(rows = 40, cols = 30, rank = 2, density = 0.2), more)
        given <- unlist(Map(function(name, value) {
            if (name == "biases") "--no-biases"
            else c(paste0("--", name), paste(value, collapse = ":"))
        }, names(words), words))
        cli("simulate", "ratings", "--seed", 7, "-q", "-o", file, given)
        d <- do.call(gibbsite_simulate, c(list("ratings", seed = 7), words))
        expect_equal(bare(d), read.csv(file), tolerance = 1e-12)
    }
    expect_error(gibbsite_simulate(noise = 0.7), "noise")
    expect_error(gibbsite_simulate("ratings", density = 0), "density")
    for (skip in list(-1, 0.5, NA, "1", 1:2))
        for (kind in c("classify", "rank", "ratings"))
            expect_error(gibbsite_simulate(kind, rows = 20, cols = 10, skip = skip), "skip")
    for (range in list(c(5, 1), c(2, 2), 3, c(1, NA), c("1", "5"), c(1, Inf)))
        expect_error(gibbsite_simulate("ratings", rows = 20, cols = 10, range = range), "range")
})

test_that("a matrix is completed", {
    truth <- outer(1:30, 1:12, function(i, j) 3 + 0.1 * i - 0.1 * j)
    set.seed(1)
    known <- matrix(runif(360) < 0.5, 30)
    m <- truth
    m[!known] <- NA
    fit <- gibbsite_complete(m, rank = 2, seed = 1)
    cells <- which(!known, arr.ind = TRUE)
    expect_true(max(abs(predict(fit, cells) - truth[!known])) < 0.1)
    expect_true(all(predict(fit, 1:3, 1:3, sd = TRUE)$sd > 0))
    at <- which(known, arr.ind = TRUE)
    triples <- gibbsite_complete(at[, 1], at[, 2], m[known], rank = 2, seed = 1)
    expect_identical(predict(triples, cells), predict(fit, cells))
    file <- tempfile(fileext = ".rds")
    saveRDS(fit, file)
    expect_identical(predict(readRDS(file), cells), predict(fit, cells))
    expect_error(certificates(fit), "range")
    bounded <- gibbsite_complete(m, rank = 2, range = c(0, 8), seed = 1)
    expect_true(certificate(bounded)$rmse < 3)
    expect_identical(certificate(bounded)$status, "valid")
    expect_identical(length(certificate(bounded)$assumptions), 3L)
    expect_identical(certificates(bounded)$rmse, certificate(bounded)$rmse)
    expect_identical(length(bounded$info$components), bounded$info$effective_rank)
    drawn <- gibbsite_complete(m, rank = 2, range = c(0, 8), model = "paper", seed = 1)
    said <- list(format(certificate(drawn)), format(certificate(bounded)))
    expect_match(paste(said[[1]], collapse = " "), "error of one draw of the posterior is at most")
    expect_match(paste(said[[2]], collapse = " "), "error of the predictions is at most")
    expect_match(paste(said[[2]], collapse = " "), "always saying the middle")
    for (k in 1:2) # the same sentence wherever it is said
        for (object in list(list(drawn, bounded)[[k]], certificate(list(drawn, bounded)[[k]])))
            expect_true(all(said[[k]] %in% capture.output(print(object))))
    expect_error(certificate(fit), "range")
    expect_error(gibbsite_complete(m, rnak = 2), "rnak")
    expect_error(predict(fit, 1), "column")
    expect_error(predict(fit, 1:3, 1:2), "differ")
    expect_error(predict(fit, 1:2, 1:3), "differ")
    expect_error(predict(fit, matrix(1:3, 3)), "two columns")
})

test_that("completions have features, quantiles and best columns", {
    set.seed(2)
    age <- sample(20:70, 80, TRUE)
    cells <- expand.grid(row = 1:80, column = 1:20)
    cells$value <- 3 + 0.05 * (age[cells$row] - 45) + 0.1 * (cells$column %% 5) +
        0.2 * rnorm(nrow(cells))
    seen <- cells$row > 20 & runif(nrow(cells)) < 0.7
    known <- data.frame(age = age, kind = rep(c("a", "b"), 40), row.names = 1:80)
    expect_warning(fit <- gibbsite_complete(cells[seen, ], rank = 2, row_features = known),
                   "20 of 80 rows with features have no ratings")
    expect_identical(fit$info$rated_rows, 60L)
    new <- cells[cells$row <= 20, ]
    expect_true(sqrt(mean((predict(fit, new) - new$value)^2)) < 0.4)
    foreign <- data.frame(x = 1, row.names = "u")
    expect_error(gibbsite_complete(cells[seen, ], row_features = foreign), "none of its names")
    told <- predict(fit, 30, 2, quantiles = c(0.5, 0.9))
    expect_equal(told$q0.5, told$value)
    expect_equal(told$q0.9, told$value + qnorm(0.9) * told$sd)
    expect_error(predict(fit, 30, 2, quantiles = 1), "level")
    best <- gibbsite_top(fit, 30, 4)
    rated <- cells$column[seen & cells$row == 30]
    left <- setdiff(1:20, rated)
    value <- predict(fit, rep(30, length(left)), left)
    expect_identical(best$column, as.character(left[order(-value)])[seq_len(nrow(best))])
    expect_identical(nrow(gibbsite_top(fit, 30, 1000)), length(left))
    expect_error(gibbsite_top(fit, "nobody"), "no row")
    expect_error(gibbsite_top(fit, 30, quantile = 2), "quantile")
    expect_error(gibbsite_complete(cells$row, cells$column, rep(1, nrow(cells))), "implicit data")
    bounded <- gibbsite_complete(cells[seen, ], rank = 1, range = c(-3, 9))
    k <- certificate(bounded)
    expect_equal(c(k$value, 12 * sqrt(k$squared)), c(k$rmse, k$rmse))
})

test_that("the theory's numbers are those of the paper's corrected forms", {
    t <- theory(n = 1000, d = 5)
    lambda <- t$value[t$group == "classification" & t$name == "lambda"]
    expect_equal(lambda, sqrt(5000))
    f <- t[t$group == "classification" & t$name == "hoeffding_f", ]
    expect_equal(c(f$value, f$paper), lambda^2 / c(8000, 2000))
    expect_error(theory(m = 3), "m")
})

test_that("confint is refused with the reason", {
    expect_error(confint(gibbsite(y ~ ., some_rows(60))), "risk of the predictions")
})

test_that("tidy, glance and augment are there for generics", {
    skip_if_not_installed("generics")
    d <- some_rows()
    m <- gibbsite(y ~ ., d, seed = 1)
    expect_identical(generics::tidy(m)$term, c("x1", "x2", "x3", "(intercept)"))
    expect_identical(generics::glance(m)$certificate, value_of(m))
    expect_identical(generics::augment(m)$.prob, unname(predict(m, type = "prob")))
    expect_identical(nrow(generics::augment(m, newdata = d[1:4, ])), 4L)
})

test_that("the library makes the page of a report", {
    d <- some_rows()
    page <- tempfile(fileext = ".html")
    m <- gibbsite(y ~ ., d, seed = 1)
    expect_identical(report(m, page), m)
    said <- paste(readLines(page, warn = FALSE), collapse = "\n")
    said <- sub("<script.*", "", sub(".*<body", "", said))
    for (words in c("Fit of data in memory", "from R", "In plain words", "seed 1"))
        expect_match(said, words, fixed = TRUE)
    expect_false(grepl(" --", said, fixed = TRUE))
    expect_error(report(m, "/nowhere/page.html"), class = "gibbsite_io_error")
    expect_error(report(d, page), "takes a fit")
    ratings <- gibbsite_simulate("ratings", rows = 30, cols = 20, density = 0.3, rank = 2)
    for (object in list(gibbsite_sample(y ~ ., d, particles = 32, seed = 1),
                        gibbsite_complete(ratings, rank = 2, range = c(-9, 15), seed = 1))) {
        unlink(page)
        report(object, page)
        expect_true(any(grepl("<html", readLines(page, warn = FALSE), fixed = TRUE)))
    }
})

test_that("the device of a fit is an option", {
    d <- some_rows()
    expect_identical(coef(gibbsite(y ~ ., d, seed = 1, device = "cpu")),
                     coef(gibbsite(y ~ ., d, seed = 1)))
    expect_error(gibbsite(y ~ ., d, seed = 1, device = "abacus"), "device")
})
