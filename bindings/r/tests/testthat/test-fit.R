test_that("a formula and a matrix give the same model", {
    d <- some_rows()
    one <- gibbsite(y ~ ., d, seed = 1)
    other <- gibbsite(as.matrix(d[1:3]), d$y, seed = 1)
    expect_identical(one$info$certificate, other$info$certificate)
    expect_identical(one$info$coefficients, other$info$coefficients)
    expect_identical(unname(predict(one, type = "prob")), predict(other, type = "prob"))
    expect_identical(certificate(one)$status, "valid")
})

test_that("data may come before the formula", {
    d <- some_rows()
    one <- gibbsite(data = d, formula = y ~ x1, seed = 1)
    expect_identical(value_of(one), value_of(gibbsite(y ~ x1, d, seed = 1)))
})

test_that("set.seed governs the seed", {
    d <- some_rows()
    fit <- function(s) {
        set.seed(s)
        gibbsite(y ~ ., d)
    }
    expect_identical(fit(3)$info, fit(3)$info)
    expect_false(fit(3)$seed == fit(4)$seed)
    before <- {set.seed(9); runif(1)}
    set.seed(9)
    gibbsite(y ~ ., d, seed = 5)
    expect_identical(runif(1), before) # with a seed of its own, R's numbers stay untouched
})

test_that("what is not known is an error", {
    d <- some_rows(60)
    expect_error(gibbsite(y ~ ., d, lamda = 3), "lamda", class = "gibbsite_argument_error")
    expect_error(gibbsite(y ~ ., d, target = "x1"), "target", class = "gibbsite_error")
    expect_error(gibbsite(y ~ ., d, task = "rank"), "task")
    expect_error(gibbsite(y ~ ., d, lambda = -1), "lambda")
    expect_error(gibbsite(y ~ ., d, looked = "nothing"), "looked")
    expect_error(predict(gibbsite(y ~ ., d), d, typ = "prob"), NA)
    expect_error(predict(gibbsite(y ~ ., d), d, level = 0.5), "predict")
    expect_error(gibbsite(~ x1, d), "response")
    expect_error(gibbsite(y ~ x1 + nothing, d), "nothing")
    expect_error(gibbsite(y ~ x1 + offset(x2), d), "offset")
    expect_error(gibbsite(as.matrix(d[1:3]), d$y[-1]), "labels")
    d$x2[7] <- Inf
    expect_error(gibbsite(y ~ ., d), "row 7, column x2", class = "gibbsite_data_error")
})

test_that("messages name arguments as R spells them", {
    d <- some_rows(60)
    said <- tryCatch(gibbsite(y ~ ., d, prior_sd = "wide"), error = conditionMessage)
    expect_match(said, "prior_sd", fixed = TRUE)
    expect_false(grepl("prior-sd", said, fixed = TRUE))
})

test_that("labels come back as they were given", {
    d <- some_rows()
    kinds <- list(number = d$y, logical = d$y > 0, text = ifelse(d$y > 0, "b", "a"),
                  factor = factor(d$y, levels = c(1, -1), labels = c("up", "down")))
    for (kind in names(kinds)) {
        m <- gibbsite(as.matrix(d[1:3]), kinds[[kind]], seed = 1)
        found <- predict(m)
        expect_identical(class(found), class(kinds[[kind]]), info = kind)
        expect_true(mean(found == kinds[[kind]]) > 0.8, info = kind)
        expect_identical(levels(found), levels(kinds[[kind]]))
    }
})

test_that("the second declared level is the positive one", {
    d <- some_rows()
    f <- factor(d$y, levels = c(1, -1))
    down <- gibbsite(as.matrix(d[1:3]), f, seed = 1)
    expect_identical(down$labels$classes, c("1", "-1"))
    up <- gibbsite(as.matrix(d[1:3]), f, positive = "1", seed = 1)
    expect_true(coef(up)[["x1"]] > 0 && coef(down)[["x1"]] < 0)
    expect_error(gibbsite(as.matrix(d[1:3]), factor(d$y, levels = c(-1, 1, 2))), "droplevels")
    expect_error(gibbsite(as.matrix(d[1:3]), rep(1, 240)), "two classes")
    expect_error(gibbsite_rank(as.matrix(d[1:3]), rep(1:3, 80)), "two classes")
})

test_that("scores are linear in the columns, and probabilities rise with them", {
    d <- some_rows()
    m <- gibbsite(y ~ ., d, seed = 1)
    b <- coef(m)
    score <- b[1] + as.matrix(d[1:3]) %*% b[-1]
    expect_equal(unname(predict(m, d, "score")), as.vector(score), tolerance = 1e-12)
    p <- predict(m, d, "prob")
    expect_identical(order(p), order(predict(m, d, "score")))
    card <- m$info$card
    expect_equal(unname(p), 1 / (1 + exp(-(card$offset + card$slope * as.vector(score)))),
                 tolerance = 1e-12)
    expect_identical(unname(predict(m, d)), ifelse(unname(p) >= card$threshold, 1, -1))
    expect_true(all(predict(m, d, "vote") >= 0 & predict(m, d, "vote") <= 1))
})

test_that("weights shape the model, a weight of zero takes a row away, certificates count rows", {
    d <- some_rows()
    w <- rep(c(1, 3), 120)
    m <- gibbsite(y ~ ., d, weights = w, seed = 1)
    expect_identical(as.integer(certificate(m)$rows), 80L)
    absent <- gibbsite(y ~ ., d, weights = rep(c(1, 0, 2), 80), seed = 1)
    expect_true(certificate(absent)$rows < 60)
    expect_false(identical(coef(m), coef(gibbsite(y ~ ., d, seed = 1))))
    expect_error(gibbsite(y ~ ., d, weights = 1:3), "weights")
    expect_error(gibbsite(y ~ ., d, weights = -w))
})

test_that("subset and na.action act as in glm", {
    d <- some_rows()
    d$group <- rep(1:2, 120)
    part <- gibbsite(y ~ x1 + x2, d, subset = group == 1, seed = 1)
    expect_identical(nobs(part), 120L)
    expect_identical(value_of(part), value_of(gibbsite(y ~ x1 + x2, d[d$group == 1, ], seed = 1)))
    d$x1[c(3, 50)] <- NA
    gone <- gibbsite(y ~ x1 + x2, d, seed = 1)
    expect_identical(nobs(gone), 238L)
    expect_identical(value_of(gone), value_of(gibbsite(y ~ x1 + x2, d[-c(3, 50), ], seed = 1)))
    padded <- predict(gibbsite(y ~ x1 + x2, d, na.action = na.exclude, seed = 1), type = "prob")
    expect_identical(which(is.na(unname(padded))), c(3L, 50L))
    expect_error(gibbsite(y ~ x1 + x2, d, na.action = na.fail), "missing")
    expect_true(is.na(predict(gone, d[3, ])))
    roots <- suppressWarnings(gibbsite(y ~ sqrt(x2), d, seed = 1)) # sqrt(-1) is missing too
    expect_identical(nobs(roots), sum(d$x2 >= 0))
    expect_identical(length(roots$na.action), sum(d$x2 < 0))
})

test_that("update, formula, nobs, print and summary do what R does", {
    d <- some_rows()
    m <- gibbsite(y ~ ., d, seed = 1)
    less <- update(m, . ~ . - x3)
    expect_identical(names(coef(less)), c("(Intercept)", "x1", "x2"))
    expect_identical(names(coef(gibbsite(y ~ x1 - 1, d, seed = 1))), c("(Intercept)", "x1"))
    expect_false(gibbsite(y ~ x1 - 1, d, seed = 1)$info$intercept)
    expect_identical(coef(gibbsite(y ~ x1 - 1, d, scale = "none", seed = 1))[[1]], 0)
    expect_output(print(m), "With confidence 0.95")
    expect_output(print(summary(m)), "recall:1")
    expect_identical(rownames(coef(summary(m))), c("x1", "x2", "x3", "(intercept)"))
    expect_identical(nrow(certificates(m)), length(m$info$certificates))
    expect_identical(certificates(m)$value[1], value_of(m))
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    for (which in c("coefficients", "reliability", "certificate", "path"))
        expect_identical(plot(m, which), m)
})

test_that("options arrive by R's names, and grids as numbers", {
    d <- some_rows()
    m <- gibbsite(y ~ ., d, prior = "zero", bound = "kl", loss = "zero-one", prior_sd = 0.5,
                  lambda.grid = c(50, 100, 200), seed = 1)
    expect_identical(vapply(m$info$path, function(k) as.double(k$lambda), 0), c(50, 100, 200))
    expect_identical(m$info$prior_sd, 0.5)
    expect_identical(gibbsite(y ~ ., d, cost = c(5, 1), seed = 1)$info$certificates,
                     gibbsite(y ~ ., d, cost = "5:1", seed = 1)$info$certificates)
    expect_true(all(c("prior_sd", "lambda_grid", "bound") %in% gibbsite_options()$name))
})

test_that("models are those of the command line, to the bit", {
    d <- some_rows()
    at <- folder()
    write.csv(d, file.path(at, "train.csv"), row.names = FALSE, quote = FALSE)
    cli("fit", file.path(at, "train.csv"), "-o", file.path(at, "m.json"), "--seed", "7", "-q")
    cli("predict", file.path(at, "m.json"), file.path(at, "train.csv"), "-o",
        file.path(at, "p.csv"), "-q")
    printed <- read.csv(file.path(at, "p.csv"))
    m <- gibbsite(y ~ ., d, seed = 7)
    expect_equal(unname(predict(m, type = "prob")), printed$prob, tolerance = 1e-12)
    expect_equal(unname(predict(m, type = "score")), printed$score, tolerance = 1e-12)
    expect_equal(unname(predict(m)), printed$label)
    theirs <- gibbsite_load(file.path(at, "m.json"))
    expect_identical(theirs$info$certificates, m$info$certificates)
    expect_identical(unname(predict(theirs, d, "prob")), unname(predict(m, d, "prob")))
    gibbsite_save(m, file.path(at, "r.json"))
    cli("predict", file.path(at, "r.json"), file.path(at, "train.csv"), "-o",
        file.path(at, "q.csv"), "-q")
    expect_identical(readLines(file.path(at, "q.csv")), readLines(file.path(at, "p.csv")))
})
