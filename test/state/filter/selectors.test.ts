import { describe, expect, test } from 'vitest'
import { compileFilter } from '../../../state/filter/filter.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { exampleJob, registeredJob } from '../scheduler/job/sample-job.ts'
import { evaluateFilter } from './support.ts'

const datum = 'error finding value in datum: '

describe('behaviour/scheduler#filters, selectors', () => {
  test.each([
    ['Struct.Name == engine', true],
    ['Pointer.Name == roof', true],
    ['Parts.0.Name == wheel', true],
    ['Parts["1"].Name == door', true],
    ['Parts[`1`].Name == door', true],
    ['Parts[ "0x1" ].Name == door', true],
    ['Texts.1 == dc2', true],
    ['Lists.1.0 == b', true],
    ['Bytes.0 == 97', true],
    ['Map.team == core', true],
    ['Map["a b"] == blank', true],
    ['Map["a.b"] == dot', true],
    ['Map["a/b"] == slash', true],
    ['Map.a/b == slash', true],
    ['PartMap.spare.Labels.zone == a', true],
    ['Any.a.1.b == c', true],
    ['AnyMap.labels.0.a == b', true],
    ['"/Struct/Name" == engine', true],
    ['"/Parts/0/Name" == wheel', true],
    ['"/Map/a.b" == dot', true],
    ['"/Map/a~1b" == slash', true],
    ['"/Any/a/0" == 1', true],
    ['wheel in "/Parts/0/Name"', true],
  ])('%s', (expression, expected) => {
    expect(evaluateFilter(expression)).toBe(expected)
  })

  test.each([
    ['VaultToken == t', true],
    ['"/VaultToken" == t', true],
    ['Parts.1.Vault.Role == reader', true],
    ['Parts.1.Secrets.Role == reader', true],
    ['VendorNumber == 0', true],
    [
      'Parts.1.Vault.Foo == x',
      `${datum}/Parts/1/Vault/Foo at part 3: couldn't find key: struct field with name "Foo"`,
    ],
  ])(
    'behaviour/scheduler#vendor-names: the vendor’s names too, and shown as sent: %s',
    (expression, expected) => {
      expect(evaluateFilter(expression)).toBe(expected)
    },
  )
})

describe('behaviour/scheduler#filters, a missing key of a map', () => {
  test.each([
    ['== x', false],
    ['!= x', true],
    ['contains x', false],
    ['not contains x', true],
    ['matches `.*`', false],
    ['not matches `.*`', true],
    ['is empty', true],
    ['is not empty', false],
    ['is nil', true],
    ['is not nil', false],
  ])('%s: %s', (operator, expected) => {
    for (const selector of ['Map.absent', 'NoMap.absent', 'PartMap.absent', 'AnyMap.absent']) {
      expect(evaluateFilter(`${selector} ${operator}`)).toBe(expected)
    }
    expect(evaluateFilter(`AnyMap.nested.absent ${operator}`)).toBe(expected)
    expect(evaluateFilter(`Map.constructor ${operator}`)).toBe(expected)
    expect(evaluateFilter(`Map.__proto__ ${operator}`)).toMatch(/^failed to read/)
  })

  test('in front of the selector', () => {
    expect(evaluateFilter('x in Map.absent')).toBe(false)
    expect(evaluateFilter('x not in Map.absent')).toBe(true)
  })

  test('a collection: no element, all elements', () => {
    expect(evaluateFilter('any AnyMap.absent as x { x == 1 }')).toBe(false)
    expect(evaluateFilter('all AnyMap.absent as x { x == 1 }')).toBe(true)
  })
})

describe('behaviour/scheduler#filters, a selector that leads nowhere is an error', () => {
  // choice/scheduler#filter-members
  test.each([
    ['Foo == x', `${datum}/Foo at part 0: couldn't find key: struct field with name "Foo"`],
    ['text == x', `${datum}/text at part 0: couldn't find key: struct field with name "text"`],
    ['Foo is nil', `${datum}/Foo at part 0: couldn't find key: struct field with name "Foo"`],
    [
      'SentOnly == x',
      `${datum}/SentOnly at part 0: couldn't find key: struct field with name "SentOnly"`,
    ],
    [
      'Struct.Foo == x',
      `${datum}/Struct/Foo at part 1: couldn't find key: struct field with name "Foo"`,
    ],
    [
      'Struct.constructor == x',
      `${datum}/Struct/constructor at part 1: couldn't find key: struct field with name "constructor"`,
    ],
    ['"" == x', `${datum}/ at part 0: couldn't find key: struct field with name ""`],
    ['Null.Name == x', `${datum}/Null/Name: at part 1, invalid value kind: invalid`],
    ['Null.Foo == x', `${datum}/Null/Foo: at part 1, invalid value kind: invalid`],
    ['AnyNull.a == x', `${datum}/AnyNull/a: at part 1, invalid value kind: invalid`],
    ['AnyMap.none.a == x', `${datum}/AnyMap/none/a: at part 2, invalid value kind: invalid`],
    ['Text.a == x', `${datum}/Text/a: at part 1, invalid value kind: string`],
    ['Int.a == x', `${datum}/Int/a: at part 1, invalid value kind: int`],
    ['Duration.a == x', `${datum}/Duration/a: at part 1, invalid value kind: int64`],
    ['Time.a == x', `${datum}/Time/a at part 1: couldn't find key: struct field with name "a"`],
    ['Map.team.a == x', `${datum}/Map/team/a: at part 2, invalid value kind: string`],
    ['AnyMap.port.a == x', `${datum}/AnyMap/port/a: at part 2, invalid value kind: float64`],
    ['Map.absent.a == x', `${datum}/Map/absent/a at part 1: couldn't find key "absent"`],
    ['Texts.2 == x', `${datum}/Texts/2 at part 1: index 2 is out of range (length = 2)`],
    ['NoTexts.0 == x', `${datum}/NoTexts/0 at part 1: index 0 is out of range (length = 0)`],
    ['Texts["-1"] == x', `${datum}/Texts/-1 at part 1: index -1 is out of range (length = 2)`],
    ['Texts.x == x', `${datum}/Texts/x at part 1: couldn't convert value "x" to type int`],
    ['Any.a.x == x', `${datum}/Any/a/x at part 2: couldn't convert value "x" to type int`],
    ['Map["a/b~"].x == x', `${datum}/Map/a~1b~0/x at part 1: couldn't find key "a/b~"`],
  ])('%s', (expression, expected) => {
    expect(evaluateFilter(expression)).toBe(expected)
  })
})

describe('behaviour/scheduler#filters, any and all', () => {
  // choice/scheduler#filter-collections
  test.each([
    ['any Texts as x { x == dc2 }', true],
    ['all Texts as x { x matches `^dc` }', true],
    ['all Texts as x { x == dc2 }', false],
    ['any NoTexts as x { x == dc2 }', false],
    ['all NoTexts as x { x == dc2 }', true],
    ['any Parts as p { p.Size == 4 and "/p/Name" == wheel }', true],
    ['any Texts as i, v { i == 1 and v == dc2 }', true],
    ['any Texts as i, v { i == 0 and v == dc2 }', false],
    ['any Texts as _, v { v == dc2 }', true],
    ['any Texts as i, _ { i == 1 }', true],
    ['any Texts as i,_{ i == 1 }', true],
    ['any Map as k { k == team }', true],
    ['any Map as k { k == core }', false],
    ['any Map as k, v { k == team and v == core }', true],
    ['any Map as _, v { v == core }', true],
    ['any Map as k, _ { k == team }', true],
    ['all NoMap as k { k == team }', true],
    ['any AnyMap.labels as a { a is nil }', false],
    ['any AnyMap as k { k == port }', true],
    ['any AnyMap as k, v { k == nested and v.deep.er == x }', true],
    ['any Bytes as b { b == 98 }', true],
    ['any Parts as p { any p.Tags as t { t == round } }', true],
    ['all Parts as p { any p.Tags as t { t == square } }', false],
    ['any Parts as p { any p.Tags as i, t { i == 1 and t == round and p.Size == 2 } }', true],
    ['any Lists as l { any l as x { x == c } }', true],
    ['any Parts as Text { Text.Name == door }', true],
    ['any Texts as x { Text == `web-1` and x == dc1 }', true],
    ['not any Texts as x { x == dc3 }', true],
    ['any Texts as x { x == dc1 } and Int == -5', true],
    ['(all Texts as x { x == dc1 }) or Bool == true', true],
  ])('%s', (expression, expected) => {
    expect(evaluateFilter(expression)).toBe(expected)
  })

  test.each([
    [
      'any Texts as x, x { x == a }',
      '"x" cannot be used as a placeholder for both the index and the value',
    ],
    ['any Text as x { x == a }', 'Text is not a list or a map'],
    ['all Int as x { x == a }', 'Int is not a list or a map'],
    ['any Struct as x { x == a }', 'Struct is not a list or a map'],
    ['any Null as x { x == a }', 'Null is not a list or a map'],
    ['any "/Struct/Name" as x { x == a }', 'Struct/Name is not a list or a map'],
    ['any Map as k { k.Color == red }', '/k references a string so /k/Color is invalid'],
    ['any Texts as i, _ { i.Color == red }', '/i references a int so /i/Color is invalid'],
    [
      'any Parts as p { p.Foo == x }',
      `${datum}/Parts/0/Foo at part 2: couldn't find key: struct field with name "Foo"`,
    ],
    [
      'any Parts as p { any p.Labels as k, v { v.x == 1 } }',
      `${datum}/Parts/0/Labels/zone/x: at part 4, invalid value kind: string`,
    ],
    [
      'any Foo as p { p == x }',
      `${datum}/Foo at part 0: couldn't find key: struct field with name "Foo"`,
    ],
    [
      'any Texts as _, v { _ == 1 }',
      'failed to read filter expression: 1:21 (20): no match found, expected: "(", "-", "0", "\\"", "`", "all", "any", "not", [ \\t\\r\\n], [1-9] or [a-zA-Z]',
    ],
  ])('%s: %s', (expression, expected) => {
    expect(evaluateFilter(expression)).toBe(expected)
  })

  test('a clash of names is noticed at the first element', () => {
    expect(evaluateFilter('any NoTexts as x, x { x == a }')).toBe(false)
  })
})

describe('behaviour/scheduler#filters: numbers by the names of their Go types', () => {
  test.each([
    ['Priority', 'int'],
    ['SubmitTime', 'int64'],
    ['Version', 'uint64'],
    ['ModifyIndex', 'uint64'],
  ])('%s is of type %s', (selector, type) => {
    const job = registeredJob(exampleJob({}))
    const filter = compileFilter(`"5" in ${selector}`, jobShape)
    expect(() => filter.matches(job)).toThrow(
      `cannot perform in/contains operations on type ${type} for selector: "${selector}"`,
    )
  })
})
