import { exceedsDepth } from '../../../state/go/yaml.ts'
import { isObject } from '../../../state/kernel/objects.ts'
import { InputError } from '../../http/declare/validate.ts'
import { readJsonBody } from '../../http/register.ts'
import { DocumentError } from './documents.ts'
import { type ParsedYaml, parseYamlDocument, problemOfText } from './yaml-document.ts'

/**
 * Maximum length of YAML in code units. Parsing YAML of this length takes a few seconds, in which
 * other requests wait.
 */
const maxYamlLength = 512 * 1024

/** Maximum nesting of brackets, because each level takes stack space. */
const maxYamlDepth = 200

/** Pattern of a line whose indentation is so deep that its nesting may be too deep. */
const deepLine = /^ {400}/m

/** A request whose body is a document of a world's state. */
interface DocumentRequest {
  readonly body: unknown
  readonly headers: { readonly 'content-type'?: string | undefined }
}

/**
 * Reads a state document in JSON or YAML (behaviour/program#fresh-world). A body that is not JSON
 * is read as YAML, unless its content type is `application/json`.
 *
 * @returns undefined if there is no body
 * @throws {InputError} for a body that cannot be read; if the body is read as YAML, with every
 *   mistake in its syntax
 */
export function readDocumentBody(request: DocumentRequest): unknown {
  const { body } = request
  const type = request.headers['content-type'] ?? ''
  try {
    return readJsonBody(request)
  } catch (error) {
    if (typeof body !== 'string' || jsonType.test(type)) throw error
    const isYaml = yamlType.test(type)
    if (body.length > maxYamlLength) {
      if (!isYaml) throw error
      const limit = `${maxYamlLength} characters`
      throw new InputError([`the body is YAML of more than ${limit}; send the document as JSON`])
    }
    const isDeep = exceedsDepth(body, maxYamlDepth) || deepLine.test(body)
    const parsed = isDeep ? depthProblem : parseYamlDocument(body)
    if (parsed.problems === undefined) {
      if (isYaml || isObject(parsed.value)) return parsed.value
      throw error
    }
    // Text that starts like JSON was probably meant as JSON, so the error about JSON is more
    // useful.
    if (!isYaml && /^\s*[[{]/.test(body)) throw error
    throw new DocumentError(
      parsed.problems.map(({ textWithPlace }) => `the body is not valid YAML: ${textWithPlace}`),
    )
  }
}

const depthProblem: ParsedYaml = { problems: [problemOfText('it nests too deeply')] }

const jsonType = /^\s*application\/json\s*(;|$)/i
const yamlType = /^\s*(application|text)\/(x-|[\w.-]+\+)?yaml\s*(;|$)/i
