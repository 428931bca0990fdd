const show = (...v) => console.log(...v.map(x => JSON.stringify(x)));
for (const x of [0, -0, 1, 999, 1000, 1234567.891, -1234.5, 0.1 + 0.2, 1e21, 1.5e-7, 123456789012345680000, NaN, Infinity, -Infinity, 0.0005, 2.0005, 1.0005, 999.9995]) show(x.toLocaleString(), x.toLocaleString('en-US', { maximumFractionDigits: 0 }), x.toLocaleString(undefined, { minimumFractionDigits: 2 }));
show((1234567n).toLocaleString(), (0.256).toLocaleString('en-US', { style: 'percent' }), (0.256).toLocaleString('en-US', { style: 'percent', minimumFractionDigits: 1 }), (1.005).toLocaleString('en-US', { style: 'percent' }));
show((1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' }), (-3).toLocaleString('en-US', { style: 'currency', currency: 'EUR' }), (1234.5).toLocaleString('en-US', { style: 'currency', currency: 'JPY' }), (5).toLocaleString('en-US', { minimumIntegerDigits: 2 }), (12345).toLocaleString('en-US', { useGrouping: false }), (2.5).toLocaleString('en-US', { maximumFractionDigits: 0 }), (3.5).toLocaleString('en-US', { maximumFractionDigits: 0 }));
const d = new Date(Date.UTC(2024, 2, 5, 14, 7, 9)), utc = { timeZone: 'UTC' };
show(d.toLocaleString('en-US', utc), d.toLocaleDateString('en-US', utc), d.toLocaleTimeString('en-US', utc));
for (const o of [{ dateStyle: 'full' }, { dateStyle: 'long' }, { dateStyle: 'medium' }, { dateStyle: 'short' }, { timeStyle: 'short' }, { timeStyle: 'medium' }, { dateStyle: 'medium', timeStyle: 'short' }, { dateStyle: 'long', timeStyle: 'short' },
  { year: 'numeric', month: 'long', day: 'numeric' }, { weekday: 'long', year: 'numeric', month: 'short', day: 'numeric' }, { month: 'long', year: 'numeric' }, { month: 'short', day: 'numeric' }, { weekday: 'short' }, { year: 'numeric', month: '2-digit', day: '2-digit' }, { hour: '2-digit', minute: '2-digit' }, { hour: 'numeric', hour12: false, minute: '2-digit' }, { month: 'long' }, { year: 'numeric' }]) show(d.toLocaleString('en-US', { ...utc, ...o }));
show(new Date(NaN).toLocaleDateString('en-US'));
const words = ['zebra', 'Apple', 'apple', 'Äpfel', 'apfel', 'éclair', 'eclair', 'Eclair', 'résumé', 'resume', 'Resume', 'a b', 'ab', 'a-b', 'a_b', 'a.b', '10', '9', '2', '#1', '$5', 'straße', 'strasse', 'ñandu', 'nandu', 'naïve', 'œuvre', '', ' ', 'B', 'a', 'b', 'A', '日本', 'ж', 'я', 'α'];
show(words.toSorted((a, b) => a.localeCompare(b)));
show(words.toSorted((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }) || (a < b ? -1 : 1)));
show(['a10', 'a9', 'a2', 'b1', 'a09'].sort((a, b) => a.localeCompare(b, undefined, { numeric: true })));
show('a'.localeCompare('A'), 'a'.localeCompare('b'), 'a'.localeCompare('á', 'en', { sensitivity: 'base' }), 'a'.localeCompare('A', 'en', { sensitivity: 'accent' }), 'ab'.localeCompare('a'));
show(new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 }).format(1234.56), [3, 1234].map(new Intl.NumberFormat().format), Intl.NumberFormat('en-US').format(5n));
show(new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'long' }).format(d), new Intl.DateTimeFormat('en-US', utc).format(d.getTime()));
show(['b', 'A', 'a'].sort(new Intl.Collator().compare), new Intl.Collator('en', { numeric: true }).compare('a2', 'a10'));
show([1, 2, 3, 4, 11, 21].map(n => new Intl.PluralRules('en-US', { type: 'ordinal' }).select(n)), new Intl.PluralRules('en').select(1));
show(new Intl.ListFormat('en', { style: 'long', type: 'conjunction' }).format(['a', 'b', 'c']), new Intl.ListFormat('en', { type: 'disjunction' }).format(['a', 'b']));
