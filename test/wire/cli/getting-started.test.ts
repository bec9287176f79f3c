import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  documentedCommands,
  isInstalled,
  runCommands,
  sandboxFor,
} from '../../support/documentation/documented-commands.ts'
import { readDocument } from '../../support/files.ts'

const documents = [
  'README.md',
  ...['javascript', 'python', 'go', 'command-lines', 'ci', 'walks'].map(
    (name) => `docs/getting-started/${name}.md`,
  ),
  'docs/guide/rehearse.md',
  'docs/guide/capture.md',
  'docs/guide/compare.md',
  'docs/guide/traces.md',
  'docs/guide/services.md',
]

describe('behaviour/program#what-it-is: a newcomer can follow the documents', () => {
  describe.each(documents)('%s', (document) => {
    test.for(documentedCommands(document).map((each) => [each.commands.trim(), each] as const))(
      '%s',
      { timeout: 180_000 },
      async ([, { tool, commands, expectedLines }], { skip }) => {
        skip(!isInstalled(tool), `there is no ${tool} here`)
        using sandbox = sandboxFor(document)
        const output = await runCommands(sandbox.folder, commands)
        for (const line of expectedLines) expect(output).toContain(line)
      },
    )

    test('the document contains commands to run', () =>
      expect(documentedCommands(document).length).toBeGreaterThan(0))
  })

  test('the CI pipelines in the documents are valid YAML', () => {
    const texts = ['docs/getting-started/ci.md', 'docs/guide/traces.md'].map(readDocument)
    const pipelines = texts.flatMap((text) => [
      ...text.matchAll(/<!-- yaml -->\n```yaml\n([\s\S]*?)```/g),
    ])
    expect(pipelines.map(([, yaml = '']) => typeof parse(yaml))).toEqual(Array(5).fill('object'))
  })
})
