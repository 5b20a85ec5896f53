/**
 * A human with a browser and a cookie jar: opens an address and fills every form until there is none left.
 * @returns text of the last page
 */
export async function confirmInBrowser(address: string, values: Readonly<Record<string, string>>): Promise<string> {
  const jar = new Map<string, string>();
  let page = await open(address, jar);
  for (let step = 0; step < 8; step += 1) {
    const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page.text);
    if (form === null) return page.text;
    const fields = new URLSearchParams();
    for (const [input] of (form[2] ?? "").matchAll(/<(?:input|button)[^>]*>/g)) {
      const name = /name="([^"]+)"/.exec(input)?.[1];
      if (name !== undefined && name !== "abort") fields.set(name, values[name] ?? /value="([^"]*)"/.exec(input)?.[1] ?? "");
    }
    page = await open(new URL(form[1] ?? "", page.url).href, jar, fields);
  }
  return page.text;
}

async function open(address: string, jar: Map<string, string>, form?: URLSearchParams): Promise<{ url: string; text: string }> {
  let [url, body] = [address, form];
  for (let hop = 0; hop < 10; hop += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie }, ...(body === undefined ? {} : { method: "POST", body }) });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) return { url, text: await response.text() };
    [url, body] = [new URL(location, url).href, undefined];
  }
  throw new Error("too many redirects");
}
