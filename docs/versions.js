// SPDX-License-Identifier: Apache-2.0
// The choice of a version, in the header of every page.  `make docs` writes this file next to the
// folders of all versions, behind a list of them, so pages of old versions offer newer ones too.  It
// is a script because pages that are read from the disk may not fetch a list.
{
	const top = new URL(".", document.currentScript.src);
	const shown = location.href.slice(top.href.length).split("/")[0];

	const element = (name, part, ...inner) => {
		const made = document.createElement(name);
		made.className = `md-version${part}`;
		made.append(...inner);
		return made;
	};
	const items = versions.map((version) => {
		const link = element("a", "__link", version);
		link.href = new URL(`${version}/index.html`, top);
		return element("li", "__item", link);
	});
	const button = element("button", "__current", shown);
	button.setAttribute("aria-label", `Version ${shown}; select another`);
	document.querySelector(".md-header__topic")?.append(
		element("div", "", button, element("ul", "__list", ...items)));
}
