"use strict";
// Texts in the page. Whatever came from outside becomes a text node, never markup: nothing in these
// files sets innerHTML or an attribute that a browser would follow.

/** An element with attributes and children; texts among the children become text nodes. */
function el(tag, attributes, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : shown(String(child)));
  }
}

// Control characters but the end of a line and the tab, marks that turn the text around them, and
// characters that nobody can see. Those that join letters and emoji stay.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** The text, with what cannot be seen spelt out. */
function shown(text) {
  if (text.search(UNSEEN) < 0) return document.createTextNode(text);
  const pieces = document.createDocumentFragment();
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    // The end of a line on other systems is nothing to point at.
    if (match[0] === "\r" && text[match.index + 1] === "\n") continue;
    pieces.append(text.slice(from, match.index));
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    const mark = document.createElement("span");
    mark.className = "unprintable";
    mark.textContent = `U+${code}`;
    pieces.append(mark);
    from = match.index + match[0].length;
  }
  pieces.append(text.slice(from));
  return pieces;
}

const group = new Intl.NumberFormat("en").format;

function timeText(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "—";
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** `2026-11-16 00:55:30 UTC`. */
function momentText(timestamp) {
  return timestamp.replace(/^([\d-]{10})T([\d:]{8})(\.\d+)?Z$/, "$1 $2 UTC");
}

function costText(dollars) {
  if (dollars === null || dollars === undefined) return "—";
  if (dollars === 0 || dollars >= 0.995) return `$${dollars.toFixed(2)}`;
  return dollars >= 0.001 ? `$${dollars.toFixed(4)}` : `$${Number(dollars.toPrecision(2))}`;
}

function scoreText(score) {
  return score === null || score === undefined ? "—" : score.toFixed(3);
}

function tokensText(usage) {
  if (!usage) return "—";
  const cached = usage.cached ? `, ${group(usage.cached)} from a cache` : "";
  return `${group(usage.input)} read, ${group(usage.output)} written${cached}`;
}

/** A word and a shape for how a case ended: never the colour alone. */
function badge(status) {
  return el(`span.badge.${status}`, null, status);
}
