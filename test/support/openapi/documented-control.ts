import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Understudy } from '../../../src/embedding/index.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { Reply } from '../secrets/secrets.ts'
import { ajvOptions, formats, operationsIn, withAbsoluteReferences } from './openapi-document.ts'

/**
 * Returns a function that calls the control plane of an understudy, with paths below `/_mock`. The
 * function throws if a reply does not match `/_mock/openapi.json`.
 */
export function documentedControl(understudy: Understudy) {
  let check: ReturnType<typeof checkOf> | undefined
  return async (method: string, path: string, payload?: object): Promise<Reply> => {
    check ??= checkOf((await understudy.inject('/_mock/openapi.json')).json())
    const reply = await understudy.inject({
      method,
      url: `/_mock${path}`,
      ...(payload === undefined ? {} : { payload }),
    })
    const { statusCode: status, headers, body: text } = reply
    const type = String(headers['content-type'] ?? '').replace(/;.*/, '')
    const body = type.endsWith('json') ? JSON.parse(text) : undefined
    check({ method, path, status, type, body: body ?? text })
    return { status, headers, text, body }
  }
}

interface Exchange {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly type: string
  readonly body: unknown
}

/** Returns a function that throws for a reply that the document does not describe. */
function checkOf(document: JsonSchema) {
  const ajv = new Ajv2020({ ...ajvOptions, formats })
  ajv.addSchema({ $id: 'document', ...document })
  const compiled = new Map<string, ValidateFunction>()
  const parts = [...operationsIn(document).values()]
  return ({ method, path, status, type, body }: Exchange): void => {
    const [plain = ''] = path.split('?')
    const what = `${method} ${path} answers ${status}`
    const part = parts.find(
      (each) => each.method === method.toLowerCase() && matches(each.path, plain),
    )
    if (part === undefined) throw new Error(`${what}: there is no such operation`)
    const { [status]: named, default: other } = part.responses
    const isFailure = named === undefined
    if (isFailure && status < 400) throw new Error(`${what}: no such status`)
    const failures = Object(document['components']).responses
    const { content } = isFailure ? Object(failures).Failure : Object(named ?? other)
    if (content === undefined && body === '') return
    const schema = Object(content)[type]?.schema
    if (schema === undefined) throw new Error(`${what}: no ${type} in ${JSON.stringify(content)}`)
    const key = `${part.operationId} ${status} ${type}`
    const validate = compiled.get(key) ?? ajv.compile(withAbsoluteReferences(schema))
    compiled.set(key, validate)
    if (validate(body)) return
    throw new Error(`${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`)
  }
}

function matches(template: string, path: string): boolean {
  const [parts, names] = [path.split('/'), template.split('/')]
  if (parts.length !== names.length) return false
  return names.every((name, at) => name.startsWith('{') || name === parts[at])
}
