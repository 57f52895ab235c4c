// The streams that are published now.
import { reason, request, show, wait } from '/rill.js';

const list = document.getElementById('streams');

function card({ name, codec, viewerCount, layers }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = `/watch?stream=${encodeURIComponent(name)}`;
  link.textContent = name;
  const viewers = document.createElement('p');
  viewers.textContent = `${codec}, ${viewerCount} ${viewerCount === 1 ? 'viewer' : 'viewers'}`;
  const sizes = document.createElement('p');
  // Lines break between layers.
  sizes.textContent = layers.map((layer) =>
    layer.width ? `${layer.width}×${layer.height}\xa0at\xa0${Math.round(layer.framesPerSecond)}/s` : 'no\xa0picture\xa0yet').join(', ');
  item.append(link, viewers, sizes);
  return item;
}

let shown = '';
for (;;) {
  try {
    const response = await request('GET', '/streams');
    if (response.ok) {
      const streams = await response.json();
      const text = JSON.stringify(streams.map(({ seconds, ...stream }) => stream));
      if (text !== shown) {
        // The focus stays on the stream that had it.
        const focused = document.activeElement?.closest?.('#streams a')?.textContent;
        list.replaceChildren(...streams.map(card));
        if (focused) [...list.querySelectorAll('a')].find((link) => link.textContent === focused)?.focus();
        shown = text;
      }
      const count = streams.length;
      show(count === 0 ? 'Nobody publishes now.' : `${count} ${count === 1 ? 'stream' : 'streams'}`);
    } else {
      show(await reason(response), true);
    }
  } catch {
    show('The server does not answer.', true);
  }
  await wait(document.hidden ? 10_000 : 2000);
}
