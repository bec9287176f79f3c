import { describe, expect, test } from 'vitest'
import { findBlockHeads } from '../../../../state/platform/test-runs/block-heads.ts'

const namesIn = (text: string) => findBlockHeads(text, 'run', 1).map(({ labels: [name] }) => name)

describe('behaviour/platform#log: heads of run blocks', () => {
  test.each([
    ['run "a" {\n}\nrun "b" {\n}', ['a', 'b']],
    ['  run   "a"{ }', ['a']],
    ['\trun "a" { command = plan }', ['a']],
    ['variables { }\r\nrun "a" {\r\n}\r\n', ['a']],
    ['# run "a" {\n// run "b" {\nrun "c" {', ['c']],
    ['/* run "a" {\nrun "b" {\n*/\nrun "c" {', ['c']],
    ['x = "/*"\nrun "a" {\ny = "*/"\nrun "b" {', ['a', 'b']],
    ['x = "#" /* no\nrun "a" { */\nrun "b" {', ['b']],
    [`x = "\${f("/*")}"\nrun "a" {`, ['a']],
    ['x = "\\"/*"\nrun "a" {', ['a']],
    ['x = <<EOT\nrun "a" {\n  EOT\nrun "b" {', ['b']],
    ['x = <<-EOT\nrun "a" {\n  EOT\nrun "b" {', ['b']],
    ['x = y ? "<<EOT" : ""\nrun "a" {', ['a']],
    ['running "a" {\nrun "b" "c" {\nrun b {\nrun "d"\n{', []],
    ['', []],
  ])('%j', (text, names) => {
    expect(namesIn(text)).toEqual(names)
  })

  test('lines and columns count from 1, bytes from 0', () => {
    expect(findBlockHeads('# päß\n  run "a" { x = 1\n}', 'run', 1)).toEqual([
      {
        labels: ['a'],
        line: 2,
        column: 3,
        end_column: 10,
        byte: 10,
        end_byte: 17,
        code: '  run "a" { x = 1',
      },
    ])
  })

  test('resources have two labels', () => {
    const text = 'resource "t" "n" {\n}\nresource "lost" {\n}\ndata "t" "d" {\n}'
    expect(findBlockHeads(text, 'resource', 2).map(({ labels }) => labels)).toEqual([['t', 'n']])
  })
})
