import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Writes the notices of all bundled packages (`npm run licenses`, after a build).

const root = fileURLToPath(new URL('..', import.meta.url))

/** Path of the notices, at the root of the project and of the package. */
export const noticesFile = join(root, 'THIRD-PARTY-LICENSES')

const introduction = `Parts of the packages below are built into the files of infra-understudy, under these licences. What is
installed beside it has its licence with it. Written by npm run licenses.
`

/** Returns the notices for the files of the last build, which `dist/contents.json` lists. */
export function thirdPartyNotices(): string {
  const { inputs } = builtContents()
  const folders = inputs.flatMap((path) => {
    return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []
  })
  const notices = [...new Set(folders)].map(noticeOf)
  return [introduction, ...[...new Set(notices)].sort()].join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the files that the last build bundled, and the packages that remained external. */
export function builtContents(): Record<'inputs' | 'external', readonly string[]> {
  return JSON.parse(readFileSync(join(root, 'dist/contents.json'), 'utf8'))
}

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const files = readdirSync(join(root, folder)).filter((file) =>
    /^(?:licen[cs]e|copying|notice)/i.test(file),
  )
  const { name, version, license, author } = manifest
  const texts = files.sort().map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
  const by = typeof author === 'string' ? author : author?.name
  const rest = texts.length > 0 ? texts : by === undefined ? [] : [`Copyright ${by}`]
  return `${[`${name} ${version}`, `Licence: ${license}`, ...rest].join('\n\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(noticesFile, thirdPartyNotices())
}
