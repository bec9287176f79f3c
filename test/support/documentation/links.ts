import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileOf, readDocument } from '../files.ts'

/** Link of a document to a file of the project. */
export interface Link {
  readonly document: string
  /** Path from the root of the project; ends with `/` if the link does. */
  readonly file: string
  /** Text after `#`; empty if there is none. */
  readonly anchor: string
}

/**
 * Paths of README, CONTRIBUTING, SECURITY and every document below `docs`, relative to the root.
 */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(fileOf('docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .sort(),
]

const fence = /^(```+)[\s\S]*?^\1$/gm
const code = /`[^`\n]*`/g

/** Links and images in the syntax of Markdown and HTML. */
const link = /\]\(([^()\s]+)\)|(?:src|srcset|href)="([^"]+)"/g

/** Returns the text of a document without its code blocks and inline code. */
export function proseOf(document: string): string {
  return readDocument(document).replaceAll(fence, '').replaceAll(code, '')
}

/** Returns the links of a document to files of the project. */
export function linksOf(document: string): readonly Link[] {
  return [...proseOf(document).matchAll(link)]
    .map(([, markdown, html]) => markdown ?? html ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#')
      return { document, file: path === '' ? document : join(dirname(document), path), anchor }
    })
}

/**
 * Returns the table rows that have more or fewer cells than the heading of their table. Renderers
 * cut or pad such rows.
 */
export function unevenRows(document: string): readonly string[] {
  const prose = readDocument(document).replaceAll(fence, '')
  return prose.split(/\n{2,}/).flatMap((paragraph) => {
    const rows = paragraph.split('\n').filter((line) => line.startsWith('|'))
    const [heading = ''] = rows
    return rows.filter((row) => cellCount(row) !== cellCount(heading))
  })
}

function cellCount(row: string): number {
  return row.trim().split(/(?<!\\)\|/).length
}

/** Returns the anchor of a heading, by the rules of common Markdown renderers. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** Returns the anchors of a document in order: those of headings, and explicit ones. */
export function anchorsOf(document: string): readonly string[] {
  const prose = readDocument(document).replaceAll(fence, '')
  return [...prose.matchAll(/^#+ (.+)$|<a id="([^"]+)">/gm)].map(
    ([, heading, id]) => id ?? slug(heading ?? ''),
  )
}
