import { describe, expect, test } from 'vitest'
import { runParts } from '../../../state/kernel/parts.ts'
import {
  any,
  bool,
  bytes,
  duration,
  float,
  goList,
  goMap,
  int,
  nullable,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { inputOnly, optional, struct, vendorNamed } from '../../../state/kernel/shape/members.ts'
import { parsedSchema, storedSchema } from '../../../state/kernel/shape/schema.ts'
import {
  decodeBody,
  decodeBodyInParts,
  decodeValue,
  emptyInput,
} from '../../../state/scheduler/decoding.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'

const part = struct('Part', { Label: text, Weight: int })
const thing = struct('Thing', {
  Name: text,
  Alive: bool,
  Count: int,
  Size: uint,
  Share: float,
  Wait: duration,
  Data: bytes,
  Tags: goList(text),
  Parts: goList(part),
  Part: nullable(part),
  Inner: part,
  Meta: goMap(text),
  Free: goMap(any),
  Secrets: vendorNamed('Vault', text),
  Extra: vendorNamed('VendorExtra', optional(text)),
  Draft: inputOnly(text),
})
const request = struct('ThingRequest', { Thing: nullable(thing) })

const nothing = {
  Name: null,
  Alive: null,
  Count: null,
  Size: null,
  Share: null,
  Wait: null,
  Data: null,
  Tags: null,
  Parts: null,
  Part: null,
  Inner: { Label: null, Weight: null },
  Meta: null,
  Free: null,
  Secrets: null,
  Draft: null,
}

describe('bodies as the reference decodes them (behaviour/scheduler#conventions)', () => {
  test('members that were not sent are null; echoed members are absent', () => {
    expect(decodeBody('{}', thing)).toEqual({ ...nothing, Inner: null })
    expect(emptyInput(thing)).toEqual({ ...nothing, Inner: null })
    expect(decodeBody('{"Inner":{}}', thing)).toEqual(nothing)
  })

  test.each<[string, string, object]>([
    ['names in any letter case', '{"nAmE":"a"}', { Name: 'a' }],
    ["the vendor's spelling", '{"Vault":"a","vendorextra":"b"}', { Secrets: 'a', Extra: 'b' }],
    ['unknown members are passed over', '{"Nome":1,"Name":"a"}', { Name: 'a' }],
    ['null is nothing', '{"Name":null,"Part":null}', {}],
    ['an echoed null stays away', '{"Extra":null}', {}],
    ['the last of two counts', '{"Name":"a","name":"b"}', { Name: 'b' }],
    ['what follows the first value does not count', '{"Name":"a"} x {', { Name: 'a' }],
    ['braces inside texts', '{"Name":"}\\"{"}]', { Name: '}"{' }],
    [
      'null in lists and maps is zero',
      '{"Tags":[null],"Meta":{"a":null}}',
      { Tags: [''], Meta: { a: '' } },
    ],
    [
      'objects in lists',
      '{"Parts":[{"Label":"a"},null]}',
      {
        Parts: [
          { Label: 'a', Weight: null },
          { Label: null, Weight: null },
        ],
      },
    ],
    [
      'numbers by their kind',
      '{"Count":-3,"Size":3,"Share":1.5,"Wait":30000000000}',
      { Count: -3, Size: 3, Share: 1.5, Wait: 30_000_000_000 },
    ],
    ['a fraction where one may be', '{"Share":1e3}', { Share: 1000 }],
    ['bytes are base64', '{"Data":"aGk="}', { Data: 'aGk=' }],
    [
      'free members keep their form',
      '{"Free":{"a":[{"b":1.10}],"Name":{"Vault":1}}}',
      { Free: { a: [{ b: 1.1 }], Name: { Vault: 1 } } },
    ],
  ])('%s', (_what, body, expected) => {
    expect(decodeBody(body, thing)).toEqual({ ...nothing, Inner: null, ...expected })
  })

  test('names such as __proto__ and constructor are data', () => {
    const { Meta, Free } = decodeBody(
      '{"Meta":{"__proto__":"a","constructor":"b"},"Free":{"__proto__":{"c":1}},"constructor":1}',
      thing,
    )
    expect(Object.entries(Meta ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
    expect(Object.keys(Free ?? {})).toEqual(['__proto__'])
  })

  test.each([
    ['', 'Request body is empty'],
    ['  ', 'EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{"Thing"', 'unexpected EOF'],
    ['{"Thing":{"Name":"a"', 'unexpected EOF'],
    ['[]', 'json: cannot unmarshal array into Go value of type api.ThingRequest'],
    ['5', 'json: cannot unmarshal number into Go value of type api.ThingRequest'],
    [
      '{"Thing":[]}',
      'json: cannot unmarshal array into Go struct field ThingRequest.Thing of type api.Thing',
    ],
    [
      '{"Thing":{"Name":5}}',
      'json: cannot unmarshal number into Go struct field Thing.Thing.Name of type string',
    ],
    [
      '{"Thing":{"Alive":"true"}}',
      'json: cannot unmarshal string into Go struct field Thing.Thing.Alive of type bool',
    ],
    [
      '{"Thing":{"Count":"5"}}',
      'json: cannot unmarshal string into Go struct field Thing.Thing.Count of type int',
    ],
    [
      '{"Thing":{"Count":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field Thing.Thing.Count of type int',
    ],
    [
      '{"Thing":{"Count":9223372036854775808}}',
      'json: cannot unmarshal number 9223372036854775808 into Go struct field Thing.Thing.Count of type int',
    ],
    [
      '{"Thing":{"Size":-1}}',
      'json: cannot unmarshal number -1 into Go struct field Thing.Thing.Size of type uint64',
    ],
    [
      '{"Thing":{"Wait":"30s"}}',
      'json: cannot unmarshal string into Go struct field Thing.Thing.Wait of type time.Duration',
    ],
    [
      '{"Thing":{"Share":{}}}',
      'json: cannot unmarshal object into Go struct field Thing.Thing.Share of type float64',
    ],
    [
      '{"Thing":{"Tags":"a"}}',
      'json: cannot unmarshal string into Go struct field Thing.Thing.Tags of type []string',
    ],
    [
      '{"Thing":{"Tags":[1]}}',
      'json: cannot unmarshal number into Go struct field Thing.Thing.Tags of type string',
    ],
    [
      '{"Thing":{"Parts":{}}}',
      'json: cannot unmarshal object into Go struct field Thing.Thing.Parts of type []*api.Part',
    ],
    [
      '{"Thing":{"Parts":[{"Weight":true}]}}',
      'json: cannot unmarshal bool into Go struct field Part.Thing.Parts.Weight of type int',
    ],
    [
      '{"Thing":{"Meta":[]}}',
      'json: cannot unmarshal array into Go struct field Thing.Thing.Meta of type map[string]string',
    ],
    [
      '{"Thing":{"Free":1}}',
      'json: cannot unmarshal number into Go struct field Thing.Thing.Free of type map[string]interface {}',
    ],
    ['{"Thing":{"Data":"a?=="}}', 'illegal base64 data at input byte 1'],
    ['{"Thing":{"Data":"aGk"}}', 'illegal base64 data at input byte 0'],
    [
      '{"Thing":{"Data":5}}',
      'json: cannot unmarshal number into Go struct field Thing.Thing.Data of type []uint8',
    ],
  ])('%s is refused', (body, message) => {
    expect(() => decodeBody(body, request)).toThrow(
      expect.objectContaining({ kind: 'invalid', message }),
    )
  })

  test('the error names the path of a value that was parsed before', () => {
    expect(() => decodeValue({ Name: 5 }, thing, ['Job'])).toThrow(
      'json: cannot unmarshal number into Go struct field Thing.Job.Name of type string',
    )
  })
})

describe('schemas of shapes (behaviour/scheduler#api-job)', () => {
  test('stored values are complete; echoed members may be there', () => {
    expect(
      storedSchema(
        struct('S', { A: text, B: optional(int), C: inputOnly(text), D: nullable(bytes) }),
      ),
    ).toEqual({
      type: 'object',
      required: ['A', 'D'],
      additionalProperties: false,
      properties: {
        A: { type: 'string' },
        B: { type: 'integer' },
        D: { type: ['string', 'null'] },
      },
    })
  })

  test('sent ones may be null all over', () => {
    expect(parsedSchema(struct('S', { A: goList(text), B: inputOnly(bool) }))).toEqual({
      type: 'object',
      required: ['A', 'B'],
      additionalProperties: false,
      properties: {
        A: { type: ['array', 'null'], items: { type: 'string' } },
        B: { type: ['boolean', 'null'] },
      },
    })
  })

  test('a job has all members that the specification names', () => {
    const always = Object.entries(jobShape.fields)
      .filter(([, { presence }]) => presence === 'always')
      .map(([name]) => name)
    expect(always).toEqual([
      'Region',
      'Namespace',
      'ID',
      'ParentID',
      'Name',
      'Type',
      'Priority',
      'AllAtOnce',
      'Datacenters',
      'NodePool',
      'Constraints',
      'Affinities',
      'Spreads',
      'TaskGroups',
      'Update',
      'Periodic',
      'ParameterizedJob',
      'Payload',
      'Meta',
      'Multiregion',
      'Dispatched',
      'Stable',
      'Stop',
      'Status',
      'StatusDescription',
      'SecretsToken',
      'SecretsNamespace',
      'MeshToken',
      'SchedTokenID',
      'SubmitTime',
      'Version',
      'CreateIndex',
      'ModifyIndex',
      'JobModifyIndex',
      'VersionTag',
    ])
  })
})

describe('behaviour/program#bounds: a long list is decoded in parts', () => {
  const parts = Array.from({ length: 30 }, (_, at) => ({ label: `p${at}`, Weight: at }))
  const atOnce = (body: string) => decodeBody(body, request, 'neutral')
  const inParts = (body: string) => runParts(decodeBodyInParts(body, request, 'neutral'))

  test('decoding pauses after each item, with the same result as decoding without pauses', () => {
    const body = JSON.stringify({ thing: { Parts: [null, ...parts], Name: 'a' } })
    expect(inParts(body)).toEqual(atOnce(body))
    expect([...decodeBodyInParts(body, request, 'neutral')]).toHaveLength(31)
  })

  test.each([
    ['the first mistake', { Thing: { Name: 1, Parts: [...parts, { Weight: 'x' }] } }],
    ['a mistake in an item', { Thing: { Parts: [...parts, { Weight: 'x' }], Name: 1 } }],
    ['an item of the wrong type', { Thing: { Parts: [...parts, 1, { Weight: 'x' }] } }],
  ])('%s is refused as by decoding without pauses', (_title, value) => {
    const body = JSON.stringify(value)
    let refusal: unknown
    try {
      atOnce(body)
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(Error)
    expect(() => inParts(body)).toThrow(String(refusal instanceof Error && refusal.message))
  })
})
