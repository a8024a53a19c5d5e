// The module of the console. Every page works without it.
//
// Pages speak to it by attributes alone:
//   <time datetime>              shown in the zone of the reader
//   data-copy="text"             a button that copies a text
//   data-row                     a row for j and k; its first link is what "o" opens
//   data-key="r"                 a link or button that a key presses
//   data-composer, -autosave     the composer; where it saves
//   data-discard                 the form that discards its draft, hidden before there is one
//   data-countdown="seconds"     counts down, then loads the page again
//   data-live, data-inbox        a part with an id that new mail (of that inbox) replaces
//   data-hold                    such a part, which stays while something in it is unfolded

const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

// ---- Announcements: one live region, for screen readers.
function announce(text) {
  const status = find('#status');
  if (!status) return;
  const line = document.createElement('p');
  line.className = 'notice';
  line.textContent = text;
  status.replaceChildren(line);
}

// ---- Times in the zone of the reader, with the time in UTC as title; controls that need this script.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
const sameYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
const otherYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const sameDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

function enhance(root) {
  for (const element of findAll('time[datetime]:not([title])', root)) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const now = new Date();
    const format = at.toDateString() === now.toDateString() ? sameDay
      : at.getFullYear() === now.getFullYear() ? sameYear : otherYear;
    element.title = element.textContent;
    element.textContent = format.format(at);
  }
  for (const button of findAll('[data-copy][hidden], [data-shortcuts][hidden]', root)) button.hidden = false;
}

// ---- Buttons that copy; they are hidden without scripts.
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    announce('Copied.');
  } catch {
    announce('The browser does not permit copying. Select the text and copy it.');
  }
}

// ---- Keyboard.
const KEYS = [
  ['j', 'Next in the list'], ['k', 'Previous in the list'], ['o', 'Open'], ['r', 'Reply'], ['a', 'Reply to all'],
  ['f', 'Forward'], ['c', 'Compose'], ['e', 'Mark unread'], ['#', 'Move to trash'], ['/', 'Search'],
  ['?', 'This list'],
];
const OFF = 'inboxd-shortcuts-off';
const areOn = () => { try { return localStorage.getItem(OFF) === null; } catch { return true; } };

function move(step) {
  const rows = findAll('[data-row]');
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + step, 0), rows.length - 1);
  find('a[href]', rows[next])?.focus();
}

function open() {
  const row = document.activeElement?.closest('[data-row]');
  find('a[href]', row ?? undefined)?.click();
}

function help() {
  let dialog = find('dialog.shortcuts');
  if (!dialog) {
    dialog = document.createElement('dialog');
    dialog.className = 'shortcuts';
    dialog.setAttribute('aria-labelledby', 'shortcuts-title');
    dialog.innerHTML = '<h2 id="shortcuts-title">Keyboard shortcuts</h2><dl class="facts"></dl>' +
      '<label class="choice"><input type="checkbox"> Use shortcuts in this browser</label>' +
      '<form method="dialog" class="actions"><button>Close</button></form>';
    for (const [key, meaning] of KEYS) {
      const [term, text, cap] = ['dt', 'dd', 'kbd'].map((name) => document.createElement(name));
      cap.textContent = key;
      term.append(cap);
      text.textContent = meaning;
      find('dl', dialog).append(term, text);
    }
    const box = find('input', dialog);
    box.checked = areOn();
    box.addEventListener('change', () => {
      try {
        if (box.checked) localStorage.removeItem(OFF); else localStorage.setItem(OFF, '1');
      } catch { announce('The browser does not permit to keep this choice.'); }
    });
    document.body.append(dialog);
  }
  dialog.showModal();
}

function press(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  // A dialog that was just closed keeps the focus for a moment.
  const dialog = event.target.closest('dialog');
  if (dialog ? dialog.open : event.target.closest('input, textarea, select, [contenteditable]')) return;
  if (!areOn()) return;
  const target = find(`[data-key="${CSS.escape(event.key)}"]`);
  if (event.key === 'j' || event.key === 'k') move(event.key === 'j' ? 1 : -1);
  else if (event.key === 'o' && document.activeElement?.closest('[data-row]')) open();
  else if (event.key === '/' && find('input[type=search]')) find('input[type=search]').focus();
  else if (event.key === '?') help();
  else if (target && KEYS.some(([key]) => key === event.key)) target.click();
  else return;
  event.preventDefault();
}

// ---- Composer: saves while one types, takes dropped files, and reads times in the zone of the writer.
const PAUSE = 1200;
const LONGEST = 3000;

class Composer {
  constructor(form) {
    this.form = form;
    this.status = find('[data-save-status]', form);
    this.running = null;
    this.changedAt = 0;
    form.addEventListener('input', (event) => this.changed(event));
    form.addEventListener('submit', (event) => this.submit(event));
    window.addEventListener('pageshow', () => { this.isSent = false; });
    document.addEventListener('visibilitychange', () => { if (document.hidden && this.changedAt) this.save(); });
    this.schedule();
    this.drop();
  }

  changed(event) {
    if (event.target.name === 'send_at' || !this.form.dataset.autosave) return;
    const now = Date.now();
    this.changedAt ||= now;
    clearTimeout(this.timer);
    const wait = event.target.type === 'file' ? 0 : Math.min(PAUSE, Math.max(this.changedAt + LONGEST - now, 0));
    this.timer = setTimeout(() => this.save(), wait);
  }

  async save() {
    clearTimeout(this.timer);
    if (this.isSent || !this.form.dataset.autosave) return;
    while (this.running) await this.running;
    if (!this.changedAt) return;
    this.changedAt = 0;
    this.running = this.store();
    await this.running;
    this.running = null;
  }

  async store() {
    const body = new FormData(this.form);
    const files = find('input[type=file]', this.form);
    const chosen = [...files.files];
    this.tell('Saving…');
    try {
      // The last words are saved when the page is left; such a request may have 64 kB.
      const keepalive = document.hidden && chosen.length === 0;
      const response = await fetch(this.form.dataset.autosave, { method: 'POST', body, redirect: 'error', keepalive });
      const saved = await response.json();
      this.tell(saved.message);
      if (response.status === 409) delete this.form.dataset.autosave;
      if (!response.ok) return;
      this.becomeDraft(saved);
      // Files that were chosen meanwhile are not stored yet.
      if (chosen.length === files.files.length && chosen.every((file, at) => file === files.files[at])) files.value = '';
    } catch {
      this.tell('Not saved: the server cannot be reached, or you are signed out. Keep this page open and try again.');
      this.changedAt ||= Date.now();
    }
  }

  becomeDraft(saved) {
    this.form.action = saved.path;
    this.form.dataset.autosave = `${saved.path}/autosave`;
    let revision = this.form.elements.revision;
    if (!revision) {
      revision = Object.assign(document.createElement('input'), { type: 'hidden', name: 'revision' });
      this.form.append(revision);
      history.replaceState(null, '', saved.path);
    }
    revision.value = saved.revision;
    const discard = find('[data-discard]');
    if (discard) Object.assign(discard, { action: `${saved.path}/delete`, hidden: false });
    const rows = saved.attachments.map(({ id, name, size, path }) => {
      const row = document.createElement('li');
      const link = Object.assign(document.createElement('a'), { href: path, textContent: name });
      const hint = Object.assign(document.createElement('span'), { className: 'hint', textContent: size });
      const remove = Object.assign(document.createElement('button'),
        { className: 'link', type: 'submit', name: 'remove', value: id, textContent: 'Remove' });
      remove.setAttribute('aria-label', `Remove ${name}`);
      row.append(link, ' ', hint, ' ', remove);
      return row;
    });
    const list = find('[data-attachments]', this.form);
    if (!list.contains(document.activeElement)) list.replaceChildren(...rows);
  }

  tell(text) {
    if (this.status) this.status.textContent = text;
  }

  // A form is sent once, after the save that is on its way: that changes the revision.
  async submit(event) {
    if (this.isSent) return event.preventDefault();
    if (this.running) {
      event.preventDefault();
      const { submitter } = event;
      this.changedAt = 0;
      while (this.running) await this.running;
      return this.form.requestSubmit(submitter);
    }
    clearTimeout(this.timer);
    this.isSent = true;
  }

  schedule() {
    const field = find('#send_at', this.form);
    if (!field) return;
    const offset = this.form.elements.send_at_offset;
    const minutes = () => (field.value ? String(new Date(field.value).getTimezoneOffset()) : '');
    if (field.value && offset.value === '') {
      const at = new Date(`${field.value}Z`);
      field.value = new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
    }
    find('[data-zone]', this.form).textContent = zone;
    offset.value = minutes();
    field.addEventListener('input', () => { offset.value = minutes(); });
  }

  drop() {
    const [area, files] = [find('[data-drop]', this.form), find('input[type=file]', this.form)];
    const holdsFiles = (event) => event.dataTransfer?.types.includes('Files');
    this.form.addEventListener('dragover', (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      area.classList.add('dropping');
    });
    this.form.addEventListener('dragleave', () => area.classList.remove('dropping'));
    this.form.addEventListener('drop', (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      area.classList.remove('dropping');
      const all = new DataTransfer();
      for (const file of [...files.files, ...event.dataTransfer.files]) all.items.add(file);
      files.files = all.files;
      files.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
}

// ---- Countdown of a send that can be undone.
function countDown(element) {
  const end = Date.now() + Number(element.dataset.countdown) * 1000;
  const tick = setInterval(() => {
    const left = Math.ceil((end - Date.now()) / 1000);
    if (left > 0) { element.textContent = left === 1 ? 'in 1 second' : `in ${left} seconds`; return; }
    if (left > -2) return;
    clearInterval(tick);
    location.reload();
  }, 500);
}

// ---- Live: new mail replaces the parts that show it. Hidden tabs hold no connection; a browser has six a server.
const RETRY = 5000;
const live = { source: null, last: '', timer: 0, hasArrived: false };
// HTML of each part as the server sent it: an unchanged part is left alone.
const sent = new Map(findAll('[data-live]').map((part) => [part.id, part.innerHTML]));

function connect() {
  if (live.source || document.hidden || sent.size === 0) return;
  const query = live.last ? `?last_event_id=${encodeURIComponent(live.last)}` : '';
  live.source = new EventSource(`/console/events/stream${query}`);
  // Events before the stream began are on no stream without a last one.
  live.source.onopen = () => { if (!live.last) refresh(); };
  live.source.onmessage = receive;
  live.source.onerror = (event) => {
    if (event.data) {
      disconnect();
      announce('This page is no longer kept up to date. Load it again.');
    } else if (live.source?.readyState === EventSource.CLOSED) {
      disconnect();
      setTimeout(connect, RETRY);
    }
  };
}

function disconnect() {
  live.source?.close();
  live.source = null;
}

function receive(event) {
  if (event.lastEventId) live.last = event.lastEventId;
  let seen;
  try { seen = JSON.parse(event.data); } catch { return; }
  const inbox = (seen.message ?? seen.send ?? seen.thread ?? seen).inbox_id;
  const isShown = ({ dataset }) => !dataset.inbox || !inbox || dataset.inbox === inbox;
  if (!findAll('[data-live]').some(isShown)) return;
  if (String(seen.event_type).startsWith('message.received')) live.hasArrived = true;
  clearTimeout(live.timer);
  live.timer = setTimeout(refresh, 300);
}

async function refresh() {
  const response = await fetch(location.href, { redirect: 'error' }).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of findAll('[data-live]')) {
    const fresh = page.getElementById(part.id);
    if (!fresh || fresh.innerHTML === sent.get(part.id)) continue;
    if (part.dataset.hold !== undefined && find('details[open]', part)) continue;
    const active = part.contains(document.activeElement) ? document.activeElement : null;
    // A field with the focus is not replaced.
    if (active?.matches('input:not([type=checkbox]), select, textarea')) continue;
    sent.set(part.id, fresh.innerHTML);
    const ticked = new Set(findAll('input[type=checkbox]:checked', part).map((box) => box.value));
    const [name, value] = active?.hasAttribute('href') ? ['href', active.getAttribute('href')] : ['value', active?.value];
    part.replaceChildren(...fresh.childNodes);
    for (const box of findAll('input[type=checkbox]', part)) box.checked = ticked.has(box.value);
    if (active) (find(`[${name}="${CSS.escape(value)}"]`, part) ?? find('a[href]', part))?.focus();
    globalThis.htmx?.process?.(part);
  }
  if (live.hasArrived) announce('New mail arrived.');
  live.hasArrived = false;
}

// ---- Start.
enhance(document);
// On narrow screens the sections scroll sideways; the present one is shown.
const section = find('.sections [aria-current]');
section?.closest('ul').scrollTo({ left: section.offsetLeft - section.closest('ul').clientWidth / 2 });
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) if (node instanceof Element) enhance(node.parentElement ?? node);
  }
}).observe(document.body, { childList: true, subtree: true });

document.addEventListener('keydown', press);
document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy], [data-shortcuts]');
  if (button?.dataset.copy !== undefined) copy(button);
  else if (button) help();
});
for (const form of findAll('form[data-composer]')) new Composer(form);
for (const element of findAll('[data-countdown]')) countDown(element);

document.addEventListener('visibilitychange', () => (document.hidden ? disconnect() : connect()));
window.addEventListener('pagehide', disconnect);
window.addEventListener('pageshow', connect);
connect();

// After a swap of the whole content the focus goes to the new heading; a part leaves it where it is.
document.addEventListener('htmx:after:swap', () => {
  if (document.activeElement !== document.body) return;
  const heading = find('main h1');
  if (heading) { heading.tabIndex = -1; heading.focus(); }
});
