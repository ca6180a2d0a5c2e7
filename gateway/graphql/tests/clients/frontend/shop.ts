// What the test says of the shop, and a browser's share of the work: cookies that stay, and a record of what was sent.
type Shop = {
  url: string;
  product: string;
  password: string;
  [fact: string]: string;
};

export const shop: Shop = JSON.parse(process.env["SHOP"] ?? "{}");

export type Exchange = {
  method: string;
  status: number;
  sent: Record<string, string>;
  cacheControl: string | null;
};

export type Browser = {
  fetch: typeof fetch;
  exchanges: Exchange[];
  cookies: Map<string, string>;
};

/** Sends back the cookies it was given, as a page of the shop's own host does. */
export function browser(): Browser {
  const cookies = new Map<string, string>();
  const exchanges: Exchange[] = [];

  const browserFetch: typeof fetch = async (input, options) => {
    const request = new Request(input, options);
    if (cookies.size) request.headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const body = request.method === "POST" ? JSON.parse(await request.clone().text()) : null;
    const response = await fetch(request);
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(";")[0]!.split("=") as [string, string];
      if (/max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    exchanges.push({
      method: request.method,
      status: response.status,
      sent: body ?? Object.fromEntries(new URL(request.url).searchParams),
      cacheControl: response.headers.get("cache-control"),
    });
    return response;
  };
  return { fetch: browserFetch, exchanges, cookies };
}

let made = 0;

/** An e-mail address that nobody has yet. */
export function newEmail(): string {
  made += 1;
  return `${process.pid}-${made}@buyer.example`;
}
