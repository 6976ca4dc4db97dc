/* Draws the charts of the page from the numbers in #charts, and lets the reader choose light or
 * dark. */
(function () {
  "use strict";
  var specs = JSON.parse(document.getElementById("charts").textContent);
  var root = document.documentElement;
  var charts = [];
  var printing = false;

  function colour(name) {
    return getComputedStyle(root).getPropertyValue("--" + name).trim();
  }

  /* ---------------------------------------------------------------- numbers as text */

  function plain(x, digits) {
    if (x === 0) return "0";
    var size = Math.abs(x);
    if (size >= 1e6 || size < 1e-4)
      return x.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
    return String(Number(x.toPrecision(digits || 4)));
  }

  /* As many digits as tell the ticks of a narrow axis apart. */
  function onAxis(axis, x) {
    var most = Math.max(Math.abs(axis.max), Math.abs(axis.min)), range = axis.max - axis.min;
    return plain(x, range > 0 && most > 0
      ? Math.min(12, Math.max(4, Math.ceil(Math.log10(most / range)) + 3)) : 4);
  }

  function percent(x) {
    return Number((100 * x).toPrecision(4)) + " %";
  }

  function shown(isPercent, x) {
    return x === null || x === undefined ? "" : isPercent ? percent(x) : plain(x);
  }

  /* On a log scale only the powers of ten, and where there are few, 2 and 5 as well. */
  function logTick(axis, x) {
    var lead = x / Math.pow(10, Math.floor(Math.log10(x) + 1e-9));
    var decades = Math.log10(axis.max / axis.min);
    var wanted = decades > 3 ? [1] : [1, 2, 5];
    var near = wanted.some(function (w) { return Math.abs(lead - w) < 1e-6; });
    return near ? plain(x) : "";
  }

  /* ---------------------------------------------------------------- what Chart.js does not draw */

  /* Whiskers from low to high through each point. */
  var whiskers = {
    id: "whiskers",
    afterDatasetsDraw: function (chart) {
      var ctx = chart.ctx, across = chart.options.indexAxis === "y";
      chart.data.datasets.forEach(function (set, s) {
        if (!set.low || !chart.isDatasetVisible(s)) return;
        var scale = across ? chart.scales.x : chart.scales.y;
        ctx.save();
        ctx.beginPath();
        ctx.rect(chart.chartArea.left - 6, chart.chartArea.top - 2, chart.chartArea.width + 12,
          chart.chartArea.height + 4);
        ctx.clip();
        ctx.strokeStyle = set.whiskerColor;
        ctx.lineWidth = 1.75;
        chart.getDatasetMeta(s).data.forEach(function (point, k) {
          if (set.low[k] === null || set.high[k] === null) return;
          var a = scale.getPixelForValue(set.low[k]), b = scale.getPixelForValue(set.high[k]),
            cap = 3.5;
          ctx.beginPath();
          if (across) {
            ctx.moveTo(a, point.y); ctx.lineTo(b, point.y);
            ctx.moveTo(a, point.y - cap); ctx.lineTo(a, point.y + cap);
            ctx.moveTo(b, point.y - cap); ctx.lineTo(b, point.y + cap);
          } else {
            ctx.moveTo(point.x, a); ctx.lineTo(point.x, b);
            ctx.moveTo(point.x - cap, a); ctx.lineTo(point.x + cap, a);
            ctx.moveTo(point.x - cap, b); ctx.lineTo(point.x + cap, b);
          }
          ctx.stroke();
        });
        ctx.restore();
      });
    }
  };

  /* The diagonal of a reliability diagram and of a ROC curve; the zero of coefficients. */
  var guides = {
    id: "guides",
    beforeDatasetsDraw: function (chart) {
      var spec = chart.options.spec, area = chart.chartArea, ctx = chart.ctx;
      var zero = spec.kind === "intervals" ? chart.scales.x.getPixelForValue(0) : null;
      if (!spec.diagonal && zero === null) return;
      ctx.save();
      ctx.strokeStyle = colour("soft");
      ctx.setLineDash([5, 4]);
      ctx.lineWidth = 1;
      ctx.beginPath();
      if (spec.diagonal) {
        ctx.moveTo(chart.scales.x.getPixelForValue(0), chart.scales.y.getPixelForValue(0));
        ctx.lineTo(chart.scales.x.getPixelForValue(1), chart.scales.y.getPixelForValue(1));
      } else if (zero >= area.left && zero <= area.right) {
        ctx.moveTo(zero, area.top);
        ctx.lineTo(zero, area.bottom);
      }
      ctx.stroke();
      ctx.restore();
    }
  };

  /* More than what was seen is a bound, which is rounded up. */
  function stacked(sum, parts) {
    return (parts > 1 ? Math.ceil(1e4 * sum - 1e-9) / 100 : 100 * sum).toFixed(2) + " %";
  }

  /* The sum at the end of each stacked bar. */
  var totals = {
    id: "totals",
    afterDatasetsDraw: function (chart) {
      var spec = chart.options.spec, ctx = chart.ctx;
      if (spec.kind !== "stack") return;
      ctx.save();
      ctx.fillStyle = colour("ink");
      ctx.font = "600 " + chart.options.font.size + "px " + Chart.defaults.font.family;
      ctx.textBaseline = "middle";
      spec.labels.forEach(function (label, row) {
        var sum = 0, y = null, parts = 0;
        chart.data.datasets.forEach(function (set, s) {
          if (set.type === "line" || !chart.isDatasetVisible(s)) return;
          sum += set.data[row] || 0;
          parts += set.data[row] > 0 ? 1 : 0;
          y = chart.getDatasetMeta(s).data[row].y;
        });
        if (y !== null) ctx.fillText(spec.percentX ? stacked(sum, parts) : plain(sum),
          chart.scales.x.getPixelForValue(sum) + 6, y);
      });
      ctx.restore();
    }
  };

  /* ---------------------------------------------------------------- from numbers to charts */

  function axis(title, log, isPercent, spec, room) {
    return {
      type: log ? "logarithmic" : "linear",
      title: { display: true, text: room ? wrapped(title, room) : title, color: colour("soft"),
        padding: { top: 6 } },
      grid: { color: colour("rule"), drawBorder: false, tickLength: 4 },
      ticks: {
        color: colour("soft"),
        maxRotation: 0,
        autoSkipPadding: 14,
        callback: function (x) { return log ? logTick(this, x) : isPercent ? percent(x)
          : onAxis(this, x); }
      },
      beginAtZero: Boolean(spec.fromZero) && !log
    };
  }

  function wrapped(label, most) {
    var lines = [""];
    label.split(" ").forEach(function (word) {
      var last = lines.length - 1;
      if (lines[last] !== "" && (lines[last] + " " + word).length > most) lines.push(word);
      else lines[last] += (lines[last] === "" ? "" : " ") + word;
    });
    lines = lines.map(function (line) { return line.length > most + 6
      ? line.slice(0, most + 5) + "…" : line; });
    return lines.length > 3 ? lines.slice(0, 3).concat("…") : lines;
  }

  function names(title, narrow) {
    return {
      type: "category",
      title: { display: false, text: title },
      grid: { display: false, drawBorder: false },
      ticks: {
        color: colour("ink"),
        autoSkip: false,
        callback: function (value) {
          return wrapped(this.getLabelForValue(value), narrow ? 14 : 30); }
      }
    };
  }

  /* Intervals of several series at one x stand side by side, not on top of each other. */
  function aside(spec, k, x) {
    var several = spec.series.filter(function (s) { return s.low; }).length > 1;
    if (!several || !spec.logX) return x;
    var span = Math.log(Math.max.apply(null, spec.x) / Math.min.apply(null, spec.x)) || 1;
    return x * Math.exp((k - (spec.series.length - 1) / 2) * 0.009 * span);
  }

  function lineSet(series, spec, k) {
    var tint = colour("c-" + (k + 1));
    var points = series.style === "points";
    return {
      label: series.name,
      type: "line",
      data: spec.x ? spec.x.map(function (x, i) { return { x: aside(spec, k, x), y: series.y[i] };
        }) : series.y,
      low: series.low,
      high: series.high,
      whiskerColor: tint,
      showLine: !points,
      spanGaps: true,
      borderColor: tint,
      backgroundColor: tint,
      borderWidth: 2.25,
      borderDash: series.style === "dashed" ? [6, 4] : [],
      pointStyle: ["circle", "rect", "triangle", "rectRot", "star", "crossRot", "circle",
        "rect"][k % 8],
      pointRadius: points ? 4.5 : series.y.length > 45 ? 0 : 3,
      pointHoverRadius: 6,
      clip: 8,
      tension: 0
    };
  }

  function stackSet(series) {
    var tint = colour("c-" + series.style);
    if (series.style === "tick")
      return {
        label: series.name, type: "line", data: series.y, showLine: false, indexAxis: "y", order: 0,
          clip: 8,
        pointStyle: "rectRot", pointRadius: 6, pointHoverRadius: 8, borderColor: colour("paper"),
          pointBorderWidth: 1.5, backgroundColor: tint
      };
    return {
      label: series.name, data: series.y, stack: "parts", order: 1, backgroundColor: tint,
      borderColor: colour("paper"), borderWidth: { left: 0, right: 1.5, top: 0, bottom: 0 },
        borderSkipped: false, maxBarThickness: 26
    };
  }

  function barSet(series, spec, k) {
    var bins = spec.kind === "bars" && spec.x;
    return {
      label: series.name, type: "bar",
        data: bins ? spec.x.map(function (x, i) { return { x: x, y: series.y[i] }; }) : series.y,
        low: series.low, high: series.high, whiskerColor: colour("ink"),
      backgroundColor: colour("c-" + (k + 1)), maxBarThickness: spec.kind === "intervals" ? 26 : 60,
        categoryPercentage: bins ? 1 : 0.8, barPercentage: 0.96
    };
  }

  function datasets(spec) {
    return spec.series.map(function (series, k) {
      if (spec.kind === "stack") return stackSet(series);
      if (series.style === "bars") return barSet(series, spec, k);
      var set = lineSet(series, spec, k);
      if (spec.labels) set.data = series.y;
      if (spec.kind === "intervals") set.indexAxis = "y";
      return set;
    });
  }

  function range(list, pad) {
    var found = list.filter(function (x) { return x !== null; });
    var low = Math.min.apply(null, found), high = Math.max.apply(null, found),
      gap = (high - low) * pad || 1;
    return [low - gap, high + gap];
  }

  /* Charts that belong together have one scale. */
  function reaching(y, spec) {
    y.suggestedMin = spec.yLow;
    y.suggestedMax = spec.yHigh;
    return y;
  }

  function scales(spec, narrow) {
    if (spec.kind === "stack" || spec.kind === "intervals") {
      var x = axis(spec.xTitle, false, spec.percentX, spec, narrow ? 38 : 0),
        y = names(spec.yTitle, narrow);
      if (spec.kind === "stack") x.stacked = y.stacked = true;
      var s = spec.series[0];
      if (spec.kind === "intervals" && s && s.low) {
        var ends = range(s.low.concat(s.high, spec.fromZero ? [0] : []), 0.04);
        x.suggestedMin = spec.fromZero && Math.min.apply(null, s.low) >= 0 ? 0 : ends[0];
        x.suggestedMax = ends[1];
      }
      return { x: x, y: y };
    }
    if (spec.kind === "bars" && spec.x) {
      var bins = { x: axis(spec.xTitle, false, false, {}, 0),
        y: axis(spec.yTitle, false, spec.percentY, spec, 0) };
      var half = (spec.x[1] - spec.x[0]) / 2;
      bins.x.min = spec.x[0] - half;
      bins.x.max = spec.x[spec.x.length - 1] + half;
      bins.x.grid.display = false;
      bins.x.ticks.includeBounds = false;
      return bins;
    }
    if (spec.kind === "bars") {
      var named = names(spec.xTitle, false);
      named.title =
        { display: true, text: spec.xTitle, color: colour("soft"), padding: { top: 6 } };
      named.ticks = {
        color: colour("soft"), autoSkip: true, autoSkipPadding: 18, maxRotation: 0,
        callback: function (value) { return this.getLabelForValue(value); }
      };
      return { x: named, y: reaching(axis(spec.yTitle, false, spec.percentY, spec, 0), spec) };
    }
    var both = { x: axis(spec.xTitle, spec.logX, spec.percentX, spec, 0),
      y: reaching(axis(spec.yTitle, spec.logY, spec.percentY, spec, 0), spec) };
    both.x.beginAtZero = false;
    if (spec.diagonal || spec.unit) both.x.min = both.y.min = 0, both.x.max = both.y.max = 1;
    if (spec.logX) {
      both.x.min = aside(spec, 0, Math.min.apply(null, spec.x));
      both.x.max = aside(spec, spec.series.length - 1, Math.max.apply(null, spec.x));
    }
    spec.series.forEach(function (s) {
      if (s.low && !spec.diagonal && !spec.logY) {
        var ends = range(s.low.concat(s.high), 0.04);
        both.y.suggestedMin =
          Math.min(ends[0], both.y.suggestedMin === undefined ? Infinity : both.y.suggestedMin);
        both.y.suggestedMax =
          Math.max(ends[1], both.y.suggestedMax === undefined ? -Infinity : both.y.suggestedMax);
      }
    });
    return both;
  }

  function lettered(both, letters) {
    [both.x, both.y].forEach(function (one) {
      one.ticks.font = { size: letters };
      one.title.font = { size: letters };
    });
    return both;
  }

  function tip(spec, item) {
    var across = spec.kind === "stack" || spec.kind === "intervals", set = item.dataset,
      k = item.dataIndex;
    var isPercent = across ? spec.percentX : spec.percentY,
      value = across ? item.parsed.x : item.parsed.y;
    var text = set.label + ": " + shown(isPercent, value);
    if (set.low && set.low[k] !== null) text += " (" + shown(isPercent, set.low[k])
      + " to " + shown(isPercent, set.high[k]) + ")";
    return text;
  }

  function tipTitle(spec, items) {
    if (!items.length) return "";
    var k = items[0].dataIndex;
    return spec.labels ? spec.labels[k]
      : spec.xTitle.replace(/ \(.*\)$/, "") + " " + shown(spec.percentX, spec.x[k]);
  }

  function config(spec, narrow, letters) {
    var labels = spec.labels;
    return {
      type: spec.kind === "lines" ? "line" : "bar",
      data: { labels: labels, datasets: datasets(spec) },
      plugins: [guides, whiskers, totals],
      options: {
        spec: spec,
        narrow: narrow,
        font: { size: letters },
        indexAxis: spec.kind === "stack" || spec.kind === "intervals" ? "y" : "x",
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        devicePixelRatio: Math.max(2, window.devicePixelRatio || 1),
        // room for the sums
        layout: { padding: { right: spec.kind === "stack" ? 5 * letters : 12 } },
        interaction: { mode: "nearest", intersect: false,
          axis: spec.kind === "lines" ? "xy" : undefined },
        scales: lettered(scales(spec, narrow), letters),
        plugins: {
          legend: {
            display: spec.series.length > 1 || spec.series[0].name.indexOf("AUC") === 0,
            position: "top", align: "start",
            labels: { color: colour("ink"), boxWidth: spec.kind === "stack" ? 12 : 7,
              boxHeight: spec.kind === "stack" ? 12 : 7, padding: 12,
              usePointStyle: spec.kind !== "stack", font: { size: letters },
              sort: function (a, b) { return a.datasetIndex - b.datasetIndex; } }
          },
          tooltip: { callbacks: { label: tip.bind(null, spec), title: tipTitle.bind(null, spec) } }
        }
      }
    };
  }

  /* In pixels. Paper shrinks a canvas to a third of its width, or to two thirds, or not at all
     (page.css): letters are drawn larger for it. */
  function letterSize(canvas) {
    var figure = canvas.closest("figure");
    var paper = !figure.parentNode.classList.contains("grid") ? 700
      : figure.classList.contains("many") ? 460 : 225;
    return printing ? Math.max(12, Math.min(26, 8.5 * canvas.parentNode.clientWidth / paper)) : 12;
  }

  function drawAll() {
    charts.forEach(function (chart) { chart.destroy(); });
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    charts = Array.prototype.map.call(document.querySelectorAll("canvas[data-chart]"),
      function (canvas) {
      var spec = specs[Number(canvas.getAttribute("data-chart"))];
      return new Chart(canvas, config(spec, isNarrow(canvas), letterSize(canvas)));
    });
    root.setAttribute("data-drawn", String(charts.length));
  }

  /* Names and titles are broken into lines for the width they were drawn at. */
  var waiting = null;
  function isNarrow(canvas) {
    return canvas.parentNode.clientWidth < 480;
  }
  window.addEventListener("resize", function () {
    clearTimeout(waiting);
    waiting = setTimeout(function () {
      if (charts.some(function (chart) { return chart.options.narrow !== isNarrow(chart.canvas); }))
        drawAll();
    }, 80);
  });

  /* ---------------------------------------------------------------- light and dark */

  var button = document.getElementById("theme");
  var system = window.matchMedia("(prefers-color-scheme: dark)");

  function isDark() {
    var chosen = root.getAttribute("data-theme");
    return chosen ? chosen === "dark" : system.matches;
  }

  function refresh() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label",
      isDark() ? "Show the page in light colours" : "Show the page in dark colours");
    button.setAttribute("aria-pressed", String(isDark()));
    drawAll();
  }

  button.hidden = false;
  button.addEventListener("click", function () {
    root.setAttribute("data-theme", isDark() ? "light" : "dark");
    refresh();
  });
  system.addEventListener("change", function () { if (!printing) refresh(); });

  /* Paper is light, and narrower than the window. */
  var before = null;
  window.addEventListener("beforeprint", function () {
    printing = true;
    root.setAttribute("data-printing", "");
    before = root.getAttribute("data-theme");
    root.setAttribute("data-theme", "light");
    drawAll();
  });
  window.addEventListener("afterprint", function () {
    if (before === null) root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", before);
    printing = false;
    root.removeAttribute("data-printing");
    refresh();
  });

  refresh();
})();
