import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: digests and UUIDs', () => {
  test.each<[string, unknown]>([
    ['md5("a")', '0cc175b9c0f1b6a831c399e269772661'],
    ['md5("é")', '66ddcd97cfdeabb2f6fb8a999b4bc76f'],
    ['sha1("a")', '86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'],
    ['sha256("a")', 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'],
    ['sha256("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [
      'sha512("a")',
      '1f40fc92da241694750979ee6cf582f2d5d7d28e18335de05abc54d0560e0f5302860c652bf08d560252aa5e74210546f369fbbbce8c12cfc7957b2652fe9a75',
    ],
    ['uuidv4()', '6f7a3d52-6a0c-4c0f-8f0e-0d9f3a1b2c4d'],
    ['uuidv5("dns", "example.com")', 'cfbff0d1-9375-5685-968c-48ce8b15ae17'],
    ['uuidv5("url", "x")', '4cd605e7-afa2-5360-b5b9-c5e9fb5c76f4'],
    ['uuidv5("oid", "x")', '8558d34a-d3c6-5881-a6e3-bf8f3e6110ea'],
    ['uuidv5("x500", "x")', '456e503f-63e3-56c1-b807-4cd79bf8cc22'],
    [
      'uuidv5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "example.com")',
      'cfbff0d1-9375-5685-968c-48ce8b15ae17',
    ],
    [
      'uuidv5("{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", "example.com")',
      'cfbff0d1-9375-5685-968c-48ce8b15ae17',
    ],
    [
      'uuidv5("urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "example.com")',
      'cfbff0d1-9375-5685-968c-48ce8b15ae17',
    ],
    [
      'uuidv5("6ba7b8109dad11d180b400c04fd430c8", "example.com")',
      'cfbff0d1-9375-5685-968c-48ce8b15ae17',
    ],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'sha1(null)',
      'Invalid function argument; Invalid value for "str" parameter: argument must not be null.',
    ],
    [
      'sha512([])',
      'Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
    [
      'uuidv5("xyz", "x")',
      'Error in function call; Call to function "uuidv5" failed: uuidv5() doesn\'t support namespace xyz (invalid UUID length: 3).',
    ],
    [
      'uuidv5("zba7b810-9dad-11d1-80b4-00c04fd430c8", "x")',
      'Error in function call; Call to function "uuidv5" failed: uuidv5() doesn\'t support namespace zba7b810-9dad-11d1-80b4-00c04fd430c8 (invalid UUID format).',
    ],
    [
      'uuidv5("ern:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "x")',
      'Error in function call; Call to function "uuidv5" failed: uuidv5() doesn\'t support namespace ern:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8 (invalid urn prefix: "ern:uuid:").',
    ],
    [
      'uuidv5("dns")',
      'Not enough function arguments; Function "uuidv5" expects 2 argument(s). Missing value for "name".',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
