import { describe, expect, test } from 'vitest'
import { parseVersionConstraint } from '../../../../state/scheduler/job/version-constraints.ts'

const section = 'behaviour/scheduler#validation, constraint'

describe(`${section}: operand version`, () => {
  test.each([
    ['1.2.3', '1.2.3', true],
    ['= 1.2', '1.2.0', true],
    ['!= 1.2', '1.2.0', false],
    ['>= 1.2, < 2', '1.9.9', true],
    ['>= 1.2, < 2', '2.0.0', false],
    ['> 1.2', '1.2.0.1', true],
    ['<= v1.2', '1.2', true],
    ['~> 1.2', '1.9', true],
    ['~> 1.2', '2.0', false],
    ['~> 1.2.3', '1.2.9', true],
    ['~> 1.2.3', '1.3.0', false],
    ['~> 1.2.3', '1.2', false],
    ['>= 1.2', '1.3.0-beta', false],
    ['>= 1.3.0-alpha', '1.3.0-beta', true],
    ['>= 1.2.0-alpha', '1.3.0-beta', false],
    ['>= 1.3.0-beta', '1.3.0', true],
    ['~> 1.3.0-beta', '1.3.0', false],
    ['= 1.2beta', '1.2-beta', true],
    ['< 1.0.0-2', '1.0.0-1', true],
    ['< 1.0.0-a', '1.0.0-1', true],
    ['> 1.0.0-a', '1.0.0-a.1', true],
    ['> 1.0.0-10', '1.0.0-9', false],
    ['= 1.0.0', '1.0.0+build', true],
    ['> 0', 'x', false],
    ['> 0', '99999999999999999999', false],
  ])('%s of %s', (constraint, version, expected) => {
    expect(parseVersionConstraint(constraint, 'version').check(version)).toBe(expected)
  })
})

describe(`${section}: operand semver`, () => {
  test.each([
    ['>= 1.2', '1.3.0-beta', true],
    ['> 1.3.0-beta', '1.3.0', true],
    ['< 1.3.0', '1.3.0-beta', true],
    ['= 1.2', '1.2beta', false],
  ])('%s of %s', (constraint, version, expected) => {
    expect(parseVersionConstraint(constraint, 'semver').check(version)).toBe(expected)
  })
})

describe(`${section}: invalid constraints`, () => {
  test.each([
    ['', 'version', ''],
    ['x', 'version', 'x'],
    ['>= 1.2,', 'version', ''],
    ['>= 1.2, x y', 'version', ' x y'],
    ['=> 1.2', 'version', '=> 1.2'],
    [`> ${'1'.repeat(300)}`, 'version', `> ${'1'.repeat(300)}`],
    ['~> 1.2', 'semver', '~> 1.2'],
    ['1.2beta', 'semver', '1.2beta'],
  ] as const)('%j as %s (behaviour/scheduler#validation, constraint)', (constraint, kind, part) => {
    const parse = () => parseVersionConstraint(constraint, kind)
    expect(parse).toThrow(new RangeError(`Malformed constraint: ${part}`))
  })

  test('unlimited blanks take linear time', () => {
    const parse = () => parseVersionConstraint(`>= ${' '.repeat(100_000)}x y`, 'version')
    expect(parse).toThrow(RangeError)
  })
})
