import gateway from '@mercuriusjs/gateway';
import Fastify from 'fastify';

const services = JSON.parse(process.env.SERVICES).map((service) => ({ ...service, mandatory: true }));
const app = Fastify({ logger: false });
await app.register(gateway, { jit: Number(process.env.JIT ?? 0), gateway: { services } });
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
