// SPDX-License-Identifier: Apache-2.0
// The search runs in a Worker, which browsers refuse to pages that are read from the disk.  There it
// runs in a frame of the page instead, with the same messages.  (The site's builder would have such a
// file fetched from the network; it leaves that out when one of this name is there.)
if (location.protocol === "file:") {
	window.Worker = class {
		constructor(url) {
			this.frame = document.createElement("iframe");
			this.frame.hidden = true;
			document.documentElement.append(this.frame);

			const inner = this.frame.contentWindow;
			inner.postMessage = (data) =>
				this.onmessage?.(new MessageEvent("message", { data }));
			this.ready = load(inner, new URL(url, location.href));
			this.ready.catch((error) => this.onerror?.(error));
		}

		postMessage(data) {
			const inner = this.frame.contentWindow;
			this.ready.then(() =>
				inner.dispatchEvent(new inner.MessageEvent("message", { data })));
		}

		terminate() {
			this.frame.remove();
		}
	};

	function load(inner, url) {
		return new Promise((done, failed) => {
			const script = inner.document.createElement("script");
			script.src = url;
			script.onload = done;
			script.onerror = failed;
			inner.document.documentElement.append(script);
		});
	}
}
