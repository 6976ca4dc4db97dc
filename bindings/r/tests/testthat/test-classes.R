test_that("three classes: labels, probabilities, certificates of each", {
    m <- gibbsite(Species ~ ., iris, seed = 1)
    expect_identical(certificate(m)$status, "valid")
    label <- predict(m, iris)
    expect_identical(levels(label), levels(iris$Species))
    expect_true(mean(label == iris$Species) > 0.9)
    p <- predict(m, iris, "prob")
    expect_identical(colnames(p), levels(iris$Species))
    expect_equal(unname(rowSums(p)), rep(1, 150), tolerance = 1e-12)
    expect_identical(unname(label), factor(colnames(p)[max.col(p, "first")], levels(iris$Species)))
    expect_true(all(paste0("recall:", levels(iris$Species)) %in% certificates(m)$target))
    expect_error(predict(m, iris, "score"), "several classes")
    expect_error(coef(m), "several classes")
    expect_error(gap(m), "fitted together")
    expect_error(gibbsite_sample(m), "several posteriors")
    expect_output(print(summary(m)), "predicted")
    expect_true(any(grepl("^setosa.*Petal.Width$", rownames(coef(summary(m))))))
    file <- tempfile(fileext = ".rds")
    saveRDS(m, file)
    expect_identical(predict(readRDS(file), iris, "prob"), p)
})

test_that("three classes are those of the command line, in any order of levels", {
    at <- folder()
    write.csv(iris, file.path(at, "iris.csv"), row.names = FALSE, quote = FALSE)
    cli("fit", file.path(at, "iris.csv"), "-o", file.path(at, "m.json"), "-q")
    theirs <- gibbsite_load(file.path(at, "m.json"))
    ours <- gibbsite(Species ~ ., iris, seed = 1)
    expect_identical(theirs$info$certificates, ours$info$certificates)
    expect_identical(unname(predict(theirs, iris, "prob")), unname(predict(ours, iris, "prob")))
    turned <- iris
    turned$Species <- factor(turned$Species, rev(levels(iris$Species)))
    m <- gibbsite(turned[1:4], turned$Species, seed = 1)
    expect_identical(colnames(predict(m, iris[1:4], "prob")), rev(levels(iris$Species)))
    expect_true(mean(predict(m, iris[1:4]) == turned$Species) > 0.9)
})

test_that("texts and three classes go through the recipe", {
    d <- iris
    d$size <- ifelse(d$Petal.Length > 4, "large", "small")
    m <- gibbsite(d[c("Sepal.Length", "Petal.Width", "size")], d$Species, seed = 1)
    expect_true(mean(predict(m, d) == d$Species) > 0.9)
})

test_that("each binary problem has a gap", {
    set.seed(2)
    number <- rep(1:4, 60)
    line <- data.frame(x = 2 * number + 0.3 * rnorm(240))
    circle <- data.frame(x = 2 * cos(number * pi / 2) + 0.7 * rnorm(240),
                         z = 2 * sin(number * pi / 2) + 0.7 * rnorm(240))
    y <- factor(c("a", "b", "c", "d")[number])
    m <- gibbsite(circle, y, loss = "hinge", prior_sd = 1, seed = 1)
    g <- gap(m, particles = 200, seed = 1)
    expect_identical(g$class, levels(y))
    expect_true(all(is.na(g$against)))
    expect_equal(g$gap, g$free_energy + g$log_z, tolerance = 1e-12)
    expect_true(all(g$gap > -5 * g$gap_sd - 0.05 & g$gap < 5))
    expect_error(gap(m, sample = 1), "draws the samples itself")
    m <- gibbsite(y ~ x, cbind(line, y = y), loss = "hinge", prior_sd = 1, seed = 1)
    g <- gap(m, particles = 200, seed = 1)
    expect_identical(paste0(g$class, g$against), c("ab", "ac", "ad", "bc", "bd", "cd"))
    at <- folder() # what the command line finds
    exact <- data.frame(x = format(line$x, digits = 17), y = y)
    write.csv(exact, file.path(at, "l.csv"), row.names = FALSE, quote = FALSE)
    gibbsite_save(m, file.path(at, "m.json"))
    told <- cli("gap", file.path(at, "l.csv"), file.path(at, "m.json"), "--particles", "200",
                "--json")
    expect_equal(g$gap, vapply(jsonlite::fromJSON(told, simplifyVector = FALSE)$models,
                               function(k) k$gap, 0), tolerance = 1e-6)
})

test_that("a level that does not occur has probability 0, also with texts", {
    d <- iris[seq(1, 150, 2), ]
    d$Species <- factor(d$Species, c("alba", levels(iris$Species)))
    d$size <- ifelse(d$Petal.Length > 4, "large", "small")
    p <- predict(gibbsite(d[c("Sepal.Length", "Petal.Width", "size")], d$Species, seed = 1), d,
                 "prob")
    expect_identical(colnames(p), levels(d$Species))
    expect_identical(unname(p[, "alba"]), numeric(75))
    expect_equal(unname(rowSums(p)), rep(1, 75), tolerance = 1e-12)
})

test_that("weights and groups are one for each row, also with texts", {
    d <- some_rows(60)
    x <- data.frame(d[1:2], text = rep(c("u", "v", "w"), 20))
    for (rows in list(x, d[1:2]))
        for (n in c(59, 61)) {
            expect_error(gibbsite(rows, d$y, weights = rep(1, n)), "weights must be")
            expect_error(gibbsite(rows, d$y, groups = seq_len(n)), "groups must be")
        }
    expect_error(gibbsite(x, d$y, weights = rep("1", 60)), "weights must be numbers")
})

test_that("costs of three classes move labels and are certified", {
    cost <- 1 - diag(3)
    cost[3, 2] <- 50 # saying versicolor of virginica
    plain <- gibbsite(Species ~ Sepal.Length + Sepal.Width, iris, seed = 1)
    dear <- gibbsite(Species ~ Sepal.Length + Sepal.Width, iris, cost = cost, seed = 1)
    count <- function(m) sum(predict(m, iris) == "versicolor")
    expect_true(count(dear) < count(plain))
    expect_true("cost" %in% certificates(dear)$target)
    expect_error(gibbsite(Species ~ ., iris, cost = c(5, 1)), "matrix")
})

test_that("a matrix of costs of two classes is a pair", {
    d <- some_rows()
    of <- function(cost, ...) gibbsite(y ~ ., d, cost = cost, seed = 1, ...)$info$certificates
    pair <- of(c(5, 1))
    cost <- matrix(c(0, 5, 1, 0), 2, dimnames = list(c("-1", "1"), c("-1", "1")))
    expect_identical(of(cost), pair)
    expect_identical(of(unname(cost)), pair)
    expect_identical(of(cost[2:1, 2:1]), pair) # by their names
    expect_identical(of(cost, positive = -1), of(c(1, 5), positive = -1))
    for (wrong in list(1 - diag(3), 1:3, 5, "5", matrix(1, 2, 2),
                       matrix(0, 2, 2, dimnames = list(c("a", "b"), NULL))))
        expect_error(of(wrong), "cost")
})

test_that("groups are learned from or certify as a whole", {
    d <- some_rows()
    d$patient <- rep(1:60, each = 4)
    m <- gibbsite(y ~ x1 + scale(x2), d, groups = patient, seed = 1)
    expect_true(all(tapply(m$learned, d$patient, function(v) length(unique(v))) == 1))
    expect_true(certificate(m)$blocks <= 30)
    expect_identical(certificate(m)$status, "valid")
    expect_error(gibbsite(y ~ x1, d, groups = 1:3), "groups")
})

test_that("labels that are measurements are not taken for classes", {
    d <- some_rows(60)
    expect_error(gibbsite(x1 ~ x2, d), "not whole")
})
