/** Shapes of the control plane's bodies about the platform. */

/** The messages of an outbox, oldest first. */
export const outboxSchema = {
  type: 'object',
  required: ['messages'],
  additionalProperties: false,
  properties: {
    messages: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'kind', 'at', 'from', 'to', 'subject', 'text', 'server', 'delivered'],
        additionalProperties: false,
        properties: {
          id: { type: 'string' },
          kind: { enum: ['mail', 'sms'] },
          at: { type: 'string', format: 'date-time', description: "By the world's clock" },
          from: { type: 'string', description: "The mail's sender, or a number" },
          to: { type: 'string', description: 'A mail address, or a number' },
          subject: { type: ['string', 'null'], description: 'Mails only' },
          text: { type: 'string' },
          server: {
            type: ['object', 'null'],
            description: 'The mail server as it is set; null for text messages',
            required: ['host', 'port'],
            additionalProperties: false,
            properties: { host: { type: 'string' }, port: { type: 'integer' } },
          },
          delivered: {
            type: 'boolean',
            description: 'A real server took it; else it is only noted here',
          },
        },
      },
    },
  },
} as const
