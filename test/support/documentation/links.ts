import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileOf, readDocument } from '../files.ts'

/** A link of a document to something in the project. */
export interface Link {
  readonly document: string
  /** From the top of the project; ends with `/` where a folder is meant. */
  readonly file: string
  /** What stands after `#`; empty where nothing does. */
  readonly anchor: string
}

/** Every document that is written to be read, from the top of the project. */
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

/** Links and pictures as Markdown writes them, and those of HTML. */
const link = /\]\(([^()\s]+)\)|(?:src|srcset|href)="([^"]+)"/g

/** A document without its code. */
export function proseOf(document: string): string {
  return readDocument(document).replaceAll(fence, '').replaceAll(code, '')
}

/** The links of a document that lead nowhere but into the project. */
export function linksOf(document: string): readonly Link[] {
  return [...proseOf(document).matchAll(link)]
    .map(([, markdown, html]) => markdown ?? html ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#')
      return { document, file: path === '' ? document : join(dirname(document), path), anchor }
    })
}

/** The anchor that a heading gets, as the usual renderers of Markdown make it. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** What can stand after `#` in a link to a document: its headings and its named places, in order. */
export function anchorsOf(document: string): readonly string[] {
  const prose = readDocument(document).replaceAll(fence, '')
  return [...prose.matchAll(/^#+ (.+)$|<a id="([^"]+)">/gm)].map(
    ([, heading, id]) => id ?? slug(heading ?? ''),
  )
}
