// What people read, in the language of the page. The program writes numbers,
// percentages and dates in the same way; a test holds the two together.
function newLang({locale, months, messages}) {
  const plural = new Intl.PluralRules(locale);
  const whole = new Intl.NumberFormat(locale);
  const share = new Intl.NumberFormat(locale, {style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1});
  const number = (n) => whole.format(n);
  const percent = (v) => share.format(Math.floor(v * 10 + 0.5) / 1000);
  const limit = (v) => new Intl.NumberFormat(locale, {style: "percent", maximumFractionDigits: (String(v).split(".")[1] || "").length}).format(v / 100);

  // text returns a message with its arguments filled in; n chooses its form.
  function text(name, args = {}) {
    const message = messages[name] ?? name;
    const form = typeof message === "string" ? message : message[plural.select(args.n)] ?? message.other;
    return form.replace(/\{(\w+)\}/g, (all, key) => {
      const value = args[key] ?? all;
      return typeof value === "number" ? number(value) : value;
    });
  }

  // date writes a day given as 2026-11-22, or as the beginning of a moment.
  function date(day) {
    const [year, month, d] = day.slice(0, 10).split("-").map(Number);
    return text("date.day", {day: d, month: text(months[month - 1]), year: String(year)});
  }
  return {text, number, percent, limit, date};
}
