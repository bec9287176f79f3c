import { encodePath } from '../urls.ts'
import type { CaptureContext } from './capture-context.ts'
import { itemsOf, memberOf, type RealServer, RealServerError } from './real-server.ts'

/** Reader of a secrets server. A rejected request adds a note, and reading continues. */
export interface SecretsReader extends CaptureContext {
  readonly server: RealServer
}

interface ReadOptions {
  /** Name of the path in the note. Default: the path. */
  readonly name?: string
  /** Query string with its `?`. */
  readonly query?: string
  /** Status of the reply if nothing is configured at the path. This status adds no note. */
  readonly absentStatus?: number
}

/**
 * Reads a path, whose segments are not yet encoded. If the server rejects the request, adds a note.
 *
 * @returns the JSON of the reply; undefined for a 404 and for a rejected request
 * @throws {RealServerError} if the server does not answer
 */
export async function readOrNote(
  { server, notes }: SecretsReader,
  path: string,
  { name = path, query = '', absentStatus }: ReadOptions = {},
): Promise<unknown> {
  try {
    return await server.get(encodePath(path) + query)
  } catch (error) {
    if (!(error instanceof RealServerError) || error.status === undefined) throw error
    if (error.status !== absentStatus) notes.push(`${name}: answered ${error.status}`)
    return undefined
  }
}

/**
 * Returns the names in a folder; an empty list for a 404. If the server rejects the request, adds a
 * note and returns an empty list.
 */
export async function listKeys(reader: SecretsReader, path: string): Promise<readonly string[]> {
  const response = await readOrNote(reader, path, { query: '?list=true' })
  return itemsOf(memberOf(response, 'data', 'keys')).map(String)
}
