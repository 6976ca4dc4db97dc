# Formulas that only list variables go through the library's recipe: their files score raw rows.

raw_rows <- function(n = 240, seed = 1) {
    set.seed(seed)
    d <- data.frame(a = round(rnorm(n), 2), `odd name` = round(rnorm(n), 2),
                    job = factor(sample(c("cook", "clerk", "smith"), n, TRUE),
                                 c("smith", "cook", "clerk", "never")),
                    smokes = runif(n) < 0.3, check.names = FALSE)
    score <- d$a + (d$job == "cook") - d$smokes
    d$sick <- factor(ifelse(score + rnorm(n) > 0, "yes", "no"))
    d
}

# The program's own fit of the same rows as a file, and where they lie.
program_fit <- function(d, ..., at = folder()) {
    file <- file.path(at, "d.csv")
    write.csv(d, file, row.names = FALSE, quote = FALSE)
    cli("fit", file, "-o", file.path(at, "cli.json"), "-q", ...)
    list(model = gibbsite_load(file.path(at, "cli.json")), data = file, at = at)
}

printed <- function(model, fit) {
    path <- file.path(fit$at, "r.json")
    gibbsite_save(model, path)
    utils::read.csv(text = cli("predict", path, fit$data), check.names = FALSE)
}

test_that("a formula of variables is the program's fit of the file, and its file reads raw rows", {
    d <- raw_rows()
    theirs <- program_fit(d, "--target", "sick")
    for (f in list(sick ~ ., sick ~ a + `odd name` + job + smokes)) {
        m <- gibbsite(f, d, seed = 1)
        expect_identical(m$info$certificates, theirs$model$info$certificates)
        expect_identical(unname(predict(m, d, "prob")), unname(predict(theirs$model, d, "prob")))
        out <- printed(m, theirs)
        expect_identical(out$prob, unname(predict(m, d, "prob")))
        expect_identical(out$label, as.character(predict(m, d)))
        again <- gibbsite_load(file.path(theirs$at, "r.json"))
        expect_identical(predict(again, d[4:1], "prob"), predict(m, d, "prob"))
        expect_identical(again$labels$classes, c("no", "yes"))
        told <- cli("evaluate", file.path(theirs$at, "r.json"), theirs$data, "--json")
        expect_identical(jsonlite::fromJSON(told)$error, mean(predict(m, d) != d$sick))
    }
    few <- program_fit(d[c("job", "a", "sick")], "--target", "sick", "--loss", "hinge")
    expect_identical(gibbsite(sick ~ job + a, d, loss = "hinge", seed = 1)$info$certificates,
                     few$model$info$certificates)
})

test_that("missing cells are left out by na.action, or filled", {
    d <- raw_rows()
    d$a[3] <- NA
    d$job[7] <- NA
    m <- gibbsite(sick ~ ., d, seed = 1)
    theirs <- program_fit(d, "--target sick --missing drop")
    expect_identical(nobs(m), 238L)
    bare <- function(model) lapply(model$info$certificates, function(k) { # it says what it left out
        k[names(k) != "assumptions"]
    })
    expect_identical(bare(m), bare(theirs$model))
    expect_identical(which(is.na(predict(m, d, "prob"))), c("3" = 3L, "7" = 7L))
    filled <- gibbsite(sick ~ ., d, missing = "impute", seed = 1)
    theirs <- program_fit(d, "--target sick --missing impute")
    expect_identical(nobs(filled), 240L)
    expect_identical(filled$info$certificates, theirs$model$info$certificates)
    expect_identical(printed(filled, theirs)$prob, unname(predict(filled, d, "prob")))
    expect_equal(drop(model.matrix(filled) %*% coef(filled)), predict(filled, type = "score"))
    expect_identical(nobs(gibbsite(sick ~ ., d, missing = "drop", na.action = na.fail, seed = 1)),
                     238L)
    d$sick[9] <- NA # no label: nothing can fill it
    m <- gibbsite(sick ~ ., d, missing = "impute", na.action = na.exclude, seed = 1)
    expect_identical(nobs(m), 239L)
    expect_identical(which(is.na(fitted(m))), c("9" = 9L))
    numbers <- gibbsite(sick ~ a, d, missing = "impute", seed = 1) # no texts at all
    at <- file.path(folder(), "m.json")
    gibbsite_save(numbers, at)
    expect_identical(predict(gibbsite_load(at), d["a"], "prob"), predict(numbers, d, "prob"))
    expect_error(gibbsite(sick ~ scale(a), d, missing = "impute"), "only list variables")
    expect_error(gibbsite(sick ~ a, d, missing = "guess"), "missing: expected")
})

test_that("labels of a file are what they were", {
    d <- raw_rows()
    at <- file.path(folder(), "m.json")
    for (y in list(as.numeric(d$sick == "yes"), ifelse(d$sick == "yes", 2.5, -1), d$sick,
                   as.character(d$sick), rep(1:3, 80), c("b", "c", "a")[rep(1:3, 80)])) {
        d$sick <- y
        m <- gibbsite(sick ~ a + job, d, seed = 1)
        gibbsite_save(m, at)
        again <- gibbsite_load(at)
        expect_identical(is.numeric(predict(again, d)), is.numeric(y))
        expect_identical(as.character(predict(again, d)), as.character(predict(m, d)))
    }
    d$sick <- d$a > 0
    m <- gibbsite(sick ~ `odd name` + job, d, seed = 1)
    gibbsite_save(m, at)
    expect_identical(unname(as.character(predict(gibbsite_load(at), d))),
                     unname(as.character(predict(m, d)))) # "TRUE", as write.csv has it
})

test_that("weights, groups, costs, rankers and three classes go the same way", {
    d <- raw_rows()
    d$w <- rep(c(1, 2, 0.5), 80)
    d$who <- rep(1:80, each = 3)
    ours <- function(f, ...) gibbsite(f, d, seed = 1, ...)$info$certificates
    theirs <- function(...) program_fit(d, "--target sick", ...)$model$info$certificates
    f <- sick ~ a + `odd name` + job + smokes
    expect_identical(ours(f, weights = w), theirs("--weights w --drop who"))
    expect_identical(ours(f, groups = who), theirs("--group who --drop w"))
    expect_identical(ours(f, cost = c(5, 1)), theirs("--cost 5:1 --drop w,who"))
    expect_identical(gibbsite_rank(f, d, seed = 1)$info$certificates,
                     theirs("--task rank --drop w,who"))
    d$sick <- factor(c("x", "y", "z")[1 + (d$a > 0) + (d$job == "cook")], c("z", "x", "y"))
    m <- gibbsite(f, d, seed = 1)
    expect_identical(m$info$certificates, theirs("--drop w,who"))
    expect_identical(colnames(predict(m, d, "prob")), c("z", "x", "y"))
    expect_true(any(grepl("/jobcook$", rownames(coef(summary(m))))))
    cost <- matrix(c(0, 1, 1, 9, 0, 1, 1, 1, 0), 3, dimnames = list(levels(d$sick), NULL))
    expect_true("cost" %in% vapply(ours(f, cost = cost), function(k) k$target, ""))
    expect_error(ours(f, weights = -w), "weight of row 1 is -1")
})

test_that("coefficients are called as a formula calls them, and make the score", {
    d <- raw_rows()
    m <- gibbsite(sick ~ ., d, seed = 1)
    expect_identical(names(coef(m)), c("(Intercept)", "a", "odd name", "jobclerk", "jobcook",
                                       "jobsmith", "smokesFALSE", "smokesTRUE"))
    expect_setequal(rownames(coef(summary(m))), c(names(coef(m))[-1], "(intercept)"))
    expect_equal(drop(model.matrix(m) %*% coef(m)), predict(m, type = "score"))
    expect_identical(m$xlevels, list(job = c("clerk", "cook", "smith"),
                                     smokes = c("FALSE", "TRUE")))
    expect_equal(formula(m), sick ~ a + `odd name` + job + smokes, ignore_attr = TRUE)
    expect_identical(names(coef(gibbsite(sick ~ . - smokes - `odd name`, d, seed = 1))),
                     c("(Intercept)", "a", "jobclerk", "jobcook", "jobsmith"))
    none <- gibbsite(sick ~ . - 1, d, seed = 1)
    theirs <- program_fit(d, "--target sick --no-intercept")
    expect_identical(none$info$certificates, theirs$model$info$certificates)
})

test_that("samples of raw rows predict, and are files", {
    d <- raw_rows()
    at <- folder()
    m <- gibbsite(sick ~ ., d, seed = 1)
    for (s in list(gibbsite_sample(m, particles = 64, seed = 1),
                   gibbsite_sample(sick ~ ., d, particles = 64, seed = 1))) {
        gibbsite_save(s, file.path(at, "s.json"))
        again <- gibbsite_load(file.path(at, "s.json"))
        expect_identical(predict(again, d[4:1], "vote"), predict(s, d, "vote"))
        write.csv(d, file.path(at, "d.csv"), row.names = FALSE, quote = FALSE)
        out <- read.csv(text = cli("predict", file.path(at, "s.json"), file.path(at, "d.csv")))
        expect_equal(out$prob, unname(predict(s, d, "vote")), tolerance = 1e-14)
    }
    g <- gap(m, particles = 300, seed = 1) # KL is not negative: five standard errors
    expect_equal(g$free_energy, m$info$free_energy, tolerance = 1e-8)
    expect_true(g$gap > -5 * max(g$gap_sd, 0.2) && g$gap < 5)
})

test_that("what a file cannot have keeps the model matrix, and says so", {
    d <- raw_rows()
    at <- file.path(folder(), "m.json")
    for (f in list(sick ~ scale(a) + job, sick ~ a:job, sick ~ a * smokes, sick ~ factor(job))) {
        m <- gibbsite(f, d, seed = 1)
        expect_message(gibbsite_save(m, at), "model matrix")
        expect_message(gibbsite_load(at), deparse(f[[3]]), fixed = TRUE)
    }
    expect_message(again <- gibbsite_load(at), "saveRDS")
    expect_error(predict(again, d), "no column")
    expect_message(gibbsite_save(again, at), "model matrix")
    d$grade <- factor(d$job, ordered = TRUE)
    d$day <- as.Date("2020-01-01") + seq_len(240)
    d$void <- ifelse(d$a > 0, "", "x") # a text of its own here, a missing cell in a file
    for (f in list(sick ~ a + grade, sick ~ day, sick ~ void))
        expect_message(gibbsite_save(gibbsite(f, d, seed = 1), at), "model matrix")
    m <- gibbsite(sick ~ a + job, d, contrasts = list(job = "contr.sum"), seed = 1)
    expect_message(gibbsite_save(m, at), "model matrix")
    for (f in list(sick ~ a + job, sick ~ a, factor(sick) ~ a + job))
        expect_silent(gibbsite_save(gibbsite(f, d, seed = 1), at))
})

test_that("declared levels leave a certificate valid where no rows are set aside", {
    d <- raw_rows()
    status <- function(f) certificate(gibbsite(f, d, prior = "zero", scale = "none",
                                               seed = 1))$status
    expect_identical(status(sick ~ a + job), "valid")
    d$job <- as.character(d$job)
    expect_identical(status(sick ~ a + job), "conditional")
})
