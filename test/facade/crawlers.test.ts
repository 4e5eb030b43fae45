import { describe, expect, it } from "vitest";
import { createCrawlerTest } from "../../src/facade/sender.js";

const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0";

describe("the user agent", () => {
  const isCrawler = createCrawlerTest();

  it.each([
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36",
    "Baiduspider+(+http://www.baidu.com/search/spider.htm)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Slackbot-LinkExpanding 1.0",
    "ia_archiver",
  ])("of a crawler is recognised: %s", (userAgent) => expect(isCrawler(userAgent)).toBe(true));

  it.each([
    "",
    `${CHROME} Safari/537.36`,
    "Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1",
    "ShopApp/1.2 CFNetwork/1408 Darwin/22",
  ])("of a visitor's browser is not a crawler's: %s", (userAgent) => expect(isCrawler(userAgent)).toBe(false));

  it.each([
    "curl/8.5.0",
    "GuzzleHttp/7",
    "WordPress/6.4; https://shop.example",
    "python-requests/2.31.0",
    "node",
    "okhttp/4.9.1",
  ])("of a program that posts events is not a crawler's: %s", (userAgent) => expect(isCrawler(userAgent)).toBe(false));

  it("is classified alike however many others came between", () => {
    const test = createCrawlerTest();
    const ask = () => [test("Googlebot/2.1"), test(`${CHROME} Safari/537.36`)];
    const first = ask();
    for (let n = 0; n < 3000; n++) test(`Browser/${n}`);
    expect(ask()).toEqual(first);
    expect(first).toEqual([true, false]);
  });
});
