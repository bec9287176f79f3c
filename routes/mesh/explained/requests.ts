import { renderMessage } from '../../../state/kernel/message.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'

const conventions = 'behaviour/mesh#conventions'

/** Explains that the community edition has no namespaces. */
export function namespacesUnsupported({ headers, world }: ExplainedRequest): Diagnosis {
  const header = Object.keys(headers).find((name) => /^x-(mesh|consul)-namespace$/.test(name))
  const { edition, version } = optionsOf(world)
  return {
    because: `a namespace is named ${header === undefined ? 'in ?ns=' : `in ${header}`}, and this is ${version} of the ${edition} edition, which has none`,
    change: 'Name no namespace, or set the option mesh.edition to enterprise',
    request: {
      query: { ns: undefined },
      ...(header === undefined ? {} : { headers: { [header]: undefined } }),
    },
    spec: conventions,
  }
}

/** Explains that there is only one datacenter and one partition. */
export function unknownDatacenter({ world, query, rule }: ExplainedRequest): Diagnosis {
  const isPartition = rule === 'other-partition'
  const name = isPartition ? 'partition' : 'dc'
  const allowed = isPartition ? 'default' : optionsOf(world).datacenter
  const noun = isPartition ? 'partition' : 'datacenter'
  return {
    because: `the ${noun} ${[query[name]].flat()[0] ?? 'of the body'} is asked for; the only one here is ${allowed}`,
    change: `Send ?${name}=${allowed}, or none`,
    request: { query: { [name]: undefined } },
    spec: conventions,
  }
}

/** Explains which two parameters exclude each other. */
export function conflictingParameters({ rule }: ExplainedRequest): Diagnosis {
  const parameter = rule === 'stale-and-consistent' ? 'stale' : 'cached'
  return {
    because: `?${parameter} and ?consistent are both sent, and they exclude each other`,
    change: `Send one of ?${parameter} and ?consistent`,
    request: { query: { consistent: undefined } },
    spec: 'behaviour/mesh#reads',
  }
}

/** Explains that a name is reserved or malformed. */
export function reservedName({ refusal, rule }: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const isLabel = rule === 'no-label'
  const reason = isLabel
    ? 'names are 1 to 64 letters, digits and hyphens, and neither begin nor end with a hyphen'
    : 'that name is reserved'
  return {
    because: `${renderMessage(refusal.reason)}: ${reason}`,
    change: 'Take another name',
    spec: namespaceWritesSpec,
  }
}

const namespaceWritesSpec = 'behaviour/mesh#namespace-writes'

/** Explains that the path and the body name different objects. */
export function mismatchedNames({ path, body, refusal }: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const pathName = decodeURIComponent(path.split('/').at(-1) ?? '')
  const member = ['Name', 'AccessorID', 'ID'].find((each) => each in Object(body)) ?? 'Name'
  return {
    because: `${renderMessage(refusal.reason)}: the path says ${pathName}, the body ${JSON.stringify(Object(body)[member])}`,
    change: `Send "${member}": "${pathName}", or leave it out`,
    request: { body: (sentBody) => ({ ...Object(sentBody), [member]: pathName }) },
    spec: namespaceWritesSpec,
  }
}

/** Explains what is wrong with a body. */
export function invalidBody({ rule, refusal, body }: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const text = renderMessage(refusal.reason)
  if (rule === 'body-empty' || body === undefined) {
    return { because: 'the request has no body', change: 'Send JSON', spec: conventions }
  }
  if (typeof body === 'string') {
    return { because: `the body is no JSON: ${text}`, change: 'Send JSON', spec: conventions }
  }
  return {
    because: `the body does not fit: ${text}`,
    change: 'Send what it says',
    spec: conventions,
  }
}
