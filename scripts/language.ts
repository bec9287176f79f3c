import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { aboveCeilings, writeCeilings } from './language/ceilings.ts'
import { checkProject, type Finding, findingKinds } from './language/check.ts'
import { sampleComments, sampleNames } from './language/sample.ts'

/**
 * Checks names, comments, test titles and documents for retired words and for sentences that are
 * hard to read (`npm run language`).
 */

const usage = `npm run language -- [--count | --list [folder] | --check | --lower | --sample N | --sample-names N] [--seed TEXT]

  --count           findings by kind and folder
  --list [folder]   all findings, or those below a folder
  --check           fails where a folder has more findings than scripts/language/ceilings.json allows
  --lower           writes the present numbers as the new ceilings
  --sample N        N random comments, with the code beside them
  --sample-names N  N random names
  --seed TEXT       another sample for another text
`

/** Maximum number of findings that are printed without `--list`. */
const maxShown = 40

const root = fileURLToPath(new URL('..', import.meta.url))

function formatFinding({ file, line, kind, found, advice }: Finding): string {
  return `${file}:${line} ${kind}: ${found}; use: ${advice}`
}

function folderOf(file: string): string {
  const [top = '', next = '', ...rest] = file.split('/')
  if (next === '') return '(documents)'
  return ['state', 'routes', 'test'].includes(top) && rest.length > 0 ? `${top}/${next}` : top
}

/** Returns a table with a row for each folder and a column for each kind. */
function countTable(findings: readonly Finding[]): string {
  const folders = [...new Set(findings.map(({ file }) => folderOf(file)))].sort()
  const row = (title: string, counted: readonly Finding[]) => {
    const cells = findingKinds.map((kind) => counted.filter((one) => one.kind === kind).length)
    return [title, ...cells, counted.length]
  }
  const rows = [
    ['', ...findingKinds, 'all'],
    ...folders.map((folder) =>
      row(
        folder,
        findings.filter(({ file }) => folderOf(file) === folder),
      ),
    ),
    row('all', findings),
  ]
  return rows
    .map(([title = '', ...cells]) =>
      [String(title).padEnd(20), ...cells.map((cell) => String(cell).padStart(10))].join(''),
    )
    .join('\n')
}

/**
 * Runs the command and returns the lines to print. Sets the exit code to 1 if there are findings;
 * with `--check`, only if there are more than the ceilings allow. `--lower` only writes the
 * ceilings, and `--help` and samples check nothing.
 */
function run(): readonly string[] {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      count: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      lower: { type: 'boolean', default: false },
      sample: { type: 'string' },
      'sample-names': { type: 'string' },
      seed: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return [usage]
  const { seed, sample, 'sample-names': names } = values
  if (sample !== undefined) return sampleComments(root, Number(sample), seed)
  if (names !== undefined) return sampleNames(root, Number(names), seed)
  const [folder = ''] = positionals
  const findings = checkProject(root).filter(({ file }) => file.startsWith(folder))
  if (values.lower) {
    writeCeilings(findings, folderOf)
    return []
  }
  if (values.check) {
    const above = aboveCeilings(findings, folderOf)
    if (above.length > 0) process.exitCode = 1
    return above.length === 0 ? [] : [...above, 'npm run language -- --list shows them']
  }
  process.exitCode = findings.length === 0 ? 0 : 1
  if (values.count) return [countTable(findings)]
  if (values.list) return findings.map(formatFinding)
  const more = findings.length - maxShown
  const rest = more > 0 ? [`${more} more: npm run language -- --list`] : []
  return [...findings.slice(0, maxShown).map(formatFinding), ...rest]
}

for (const text of run()) process.stdout.write(`${text}\n`)
