test_that("a model survives saveRDS", {
    d <- some_rows()
    m <- gibbsite(y ~ poly(x1, 2) + x2, d, seed = 1)
    file <- tempfile(fileext = ".rds")
    saveRDS(m, file)
    again <- readRDS(file)
    expect_identical(predict(again, d, "prob"), predict(m, d, "prob"))
    expect_identical(certificates(again), certificates(m))
    code <- sprintf(paste0('library(gibbsite, lib.loc = "%s"); m <- readRDS("%s"); ',
                           'cat(sprintf("%%.17g\\n", predict(m, type = "prob")))'),
                    dirname(find.package("gibbsite")), file)
    said <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE)
    expect_identical(as.numeric(said), unname(predict(m, type = "prob")))
})

test_that("threads change no bit", {
    d <- some_rows(600)
    expect_identical(gibbsite(y ~ ., d, seed = 1, threads = 1)$info$coefficients,
                     gibbsite(y ~ ., d, seed = 1, threads = 3)$info$coefficients)
    expect_error(gibbsite(y ~ ., d, threads = 0), "threads")
})

test_that("an interrupt is heard, and nothing is left behind", {
    skip_on_os("windows")
    set.seed(1)
    x <- matrix(rnorm(6e5), 2e4)
    y <- x[, 1] + 3 * rnorm(2e4) > 0
    start <- proc.time()[["elapsed"]]
    system(sprintf("(sleep 0.5; kill -INT %d) >/dev/null 2>&1 &", Sys.getpid()))
    heard <- suppressWarnings(tryCatch({
        for (k in 1:200) gibbsite(x, y, loss = "zero-one", seed = k, model = FALSE)
        FALSE
    }, interrupt = function(e) TRUE))
    expect_true(heard)
    expect_true(certificate(gibbsite(y ~ ., some_rows(60), seed = 1))$value <= 1)
})

test_that("children fit after their parent did", {
    skip_on_os("windows")
    d <- some_rows()
    m <- gibbsite(y ~ ., d, seed = 1)
    expected <- list(predict(m, d, "prob"), predict(m, d, "prob"))
    work <- function(k) predict(gibbsite(y ~ ., d, seed = 1), d, "prob")
    expect_identical(parallel::mclapply(1:2, work, mc.cores = 2), expected)
    expect_identical(parallel::mclapply(1:2, function(k) predict(m, d, "prob"), mc.cores = 2),
                     expected)
})

test_that("futures fit after their parent did", {
    skip_on_os("windows")
    skip_if_not_installed("future")
    d <- some_rows()
    expected <- predict(gibbsite(y ~ ., d, seed = 1), d, "prob")
    before <- future::plan(future::multicore, workers = 2)
    on.exit(future::plan(before))
    f <- future::future(predict(gibbsite(y ~ ., d, seed = 1), d, "prob"))
    expect_identical(future::value(f), expected)
})

test_that("the collector may come at any time", {
    d <- some_rows(40)
    x <- as.matrix(d[1:3])
    expected <- predict(gibbsite(x, d$y, seed = 1, family = "diagonal"), x, "prob")
    options <- list(family = "diagonal", task = "classify")
    run <- gibbsite:::how(1, 1)
    y <- d$y
    tx <- t(x)
    gctorture(TRUE)
    data <- .Call(gibbsite:::C_dense, tx, TRUE, y)$value
    learned <- .Call(gibbsite:::C_split, data, options, run)$value
    model <- .Call(gibbsite:::C_fit, data, NULL, options, run)$value
    bytes <- .Call(gibbsite:::C_to_json, model)$value
    told <- .Call(gibbsite:::C_describe, model)$value
    again <- .Call(gibbsite:::C_from_json, bytes)$value
    made <- .Call(gibbsite:::C_classify, again, data, run)$value
    lost <- .Call(gibbsite:::C_fit, data, NULL, list(lamda = 1), run)
    gctorture(FALSE)
    expect_identical(made$prob, unname(expected))
    expect_identical(length(learned), 40L)
    expect_true(length(told) > 100)
    expect_identical(lost$code, "argument")
})

fit_with_bar <- function(bar) {
    d <- some_rows(400, 8)
    data <- gibbsite:::data_of(as.matrix(d[1:8]), list(sign = d$y))
    options <- list(task = "classify", loss = "zero-one")
    .Call(gibbsite:::C_fit, data, NULL, options, gibbsite:::how(1, 1, bar))
}

test_that("progress is told, and its errors stop nothing", {
    seen <- 0
    count <- function(stage, done) seen <<- seen + 1
    expect_null(fit_with_bar(count)$code)
    expect_true(seen > 1)
    seen <- 0
    told <- fit_with_bar(function(stage, done) {
        count(stage, done)
        stop("no")
    })
    expect_null(told$code)
    expect_identical(seen, 1)
    expect_match(told$messages, "progress", all = FALSE)
})

test_that("an interrupt that the progress function hears stops the fit", {
    skip_on_os("windows")
    told <- fit_with_bar(function(stage, done) {
        tools::pskill(Sys.getpid(), tools::SIGINT)
        Sys.sleep(1)
    })
    expect_identical(told$code, "interrupt")
})

test_that("files that are no models are told apart", {
    file <- tempfile()
    writeLines("{}", file)
    expect_error(gibbsite_load(file), class = "gibbsite_error")
    expect_error(gibbsite_load(tempfile()), class = "gibbsite_io_error")
    expect_error(gibbsite_save(gibbsite(y ~ ., some_rows(60)), "/nowhere/m.json"),
                 class = "gibbsite_io_error")
})
