# What R's generics find at each kind of object.

test_that("response is what glm() calls the probability", {
    d <- some_rows(120)
    m <- gibbsite(y ~ ., d, seed = 1)
    expect_identical(predict(m, d, type = "response"), predict(m, d, type = "prob"))
    many <- gibbsite(Species ~ ., iris, seed = 1)
    expect_identical(predict(many, type = "response"), fitted(many))
    expect_error(predict(gibbsite_rank(y ~ ., d, seed = 1), d, "response"), "ranker gives scores")
})

test_that("a ranker refuses weights, groups and costs in words", {
    for (call in expression(gibbsite_rank(case ~ age, infert, weights = stratum),
                            gibbsite_rank(case ~ age, infert, groups = stratum),
                            gibbsite_rank(infert["age"], infert$case, groups = infert$stratum),
                            gibbsite_rank(infert["age"], infert$case, cost = c(5, 1))))
        expect_error(eval(call), "compares rows in pairs", class = "gibbsite_argument_error")
})

test_that("a sample has the probability of the command line, coefficients and charts", {
    d <- some_rows(120)
    s <- gibbsite_sample(y ~ ., d, particles = 64, seed = 1)
    at <- folder()
    gibbsite_save(s, file.path(at, "s.json"))
    write.csv(d, file.path(at, "d.csv"), row.names = FALSE, quote = FALSE)
    out <- read.csv(text = cli("predict", file.path(at, "s.json"), file.path(at, "d.csv")))
    expect_equal(out$prob, unname(predict(s, d, "prob")), tolerance = 1e-14)
    expect_identical(predict(s, d, "response"), predict(s, d, "vote"))
    expect_equal(unname(coef(s)), colMeans(s$draws))
    expect_identical(names(coef(s)), c("x1", "x2", "x3", "(intercept)"))
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    expect_invisible(plot(s))
    expect_identical(plot(s, "path"), s)
    skip_if_not_installed("generics")
    expect_equal(generics::tidy(s)$posterior.sd, apply(s$draws, 2, sd), tolerance = 0.02)
})

test_that("completions have fitted values, residuals, summaries and one line", {
    set.seed(3)
    truth <- 3 + outer(2 * rnorm(30), rnorm(12))
    known <- truth + 0.1 * rnorm(360)
    known[runif(360) < 0.4] <- NA
    f <- suppressWarnings(gibbsite_complete(known, rank = 3, model = "hierarchical",
                                            range = c(-9, 15), seed = 1))
    at <- which(!is.na(known), arr.ind = TRUE)
    expect_identical(fitted(f), predict(f, at))
    expect_equal(residuals(f), known[!is.na(known)] - fitted(f))
    expect_identical(resid(f), residuals(f))
    s <- summary(f)
    expect_identical(nrow(s$components), as.integer(f$info$effective_rank))
    expect_true(nrow(s$components) > 0)
    expect_output(print(s), "Components.*It assumes that")
    plain <- suppressWarnings(gibbsite_complete(known, rank = 3, ratings = FALSE, seed = 1))
    expect_output(print(summary(plain)), "no certificate")
    expect_error(residuals(plain), "ratings were not kept")
    expect_error(residuals(f, "deviance"), "type")
    file <- tempfile(fileext = ".json")
    gibbsite_save(f, file)
    expect_error(fitted(gibbsite_load(file)), "model of a file")
    skip_if_not_installed("generics")
    expect_identical(generics::tidy(f), s$components)
    g <- generics::glance(f)
    expect_identical(c(g$certificate, g$rmse), c(certificate(f)$rmse, f$info$rmse))
    expect_identical(g$nobs, nobs(f))
    expect_true(is.na(generics::glance(plain)$certificate))
})
