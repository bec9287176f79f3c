import { createHash } from 'node:crypto'

/** Parts of the inspector's page. */
interface PageParts {
  /** HTML of the page, which loads its script and its style sheet from files. */
  readonly page: string
  readonly style: string
  readonly script: string
}

/**
 * Returns the page of a trace without its data: the inspector with inline script and style, so that
 * browsers can open it from the file system. A content security policy allows only this script and
 * this style, by their hashes.
 */
export function traceTemplate({ page, style, script }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const data = '<script type="application/octet-stream" id="trace-data"></script>'
  return page
    .replace(/ *<link rel="stylesheet"[^>]*>\n/, () => `    <style>${style}</style>\n`)
    .replace(/ *<script type="module"[^>]*><\/script>\n/, '')
    .replace('<head>\n', () => {
      return `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">\n`
    })
    .replace('<title>Inspector</title>', '<title>Trace</title>')
    .replace(
      '  </body>',
      () => `    ${data}\n    <script type="module">${script}</script>\n  </body>`,
    )
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
