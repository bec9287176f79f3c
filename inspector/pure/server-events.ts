export interface ServerEvent {
  readonly type: string
  readonly id: string
  readonly data: string
}

/** Parser of server-sent events whose text arrives in pieces. */
export class EventReader {
  #rest = ''

  /** Returns the events that the next piece of text completes, without those that have no data. */
  read(piece: string): readonly ServerEvent[] {
    const blocks = (this.#rest + piece).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => {
      const event = parseEvent(block)
      return event.data === '' ? [] : [event]
    })
  }
}

function parseEvent(block: string): ServerEvent {
  const fields = { type: 'message', id: '', data: '' }
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (line.startsWith('event:')) fields.type = value
    else if (line.startsWith('id:')) fields.id = value
    else if (line.startsWith('data:')) fields.data += fields.data === '' ? value : `\n${value}`
  }
  return fields
}
