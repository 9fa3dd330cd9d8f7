# One image for all services; a container's command says which one it runs (see docker-compose.yml).

FROM node:24-bookworm-slim AS build
WORKDIR /portico
COPY package.json package-lock.json .npmrc ./
RUN npm ci
# .dockerignore lets in only what the image is made of.
COPY . .
# --omit=dev would keep development tools that another package names as optional peers (the Prisma command line,
# TypeScript). The embedded database belongs to the launcher for development, which is not in the image.
RUN npm run -s build \
 && npm pkg delete devDependencies \
 && npm prune \
 && rm -rf node_modules/@electric-sql node_modules/.package-lock.json dist/.compiled.json

FROM node:24-bookworm-slim
# Where a service may keep something, on a volume.
RUN install -d -o node -g node /var/lib/portico
ENV NODE_ENV=production
# The young generation of a gateway (platform/heap.ts). A container that sets NODE_OPTIONS replaces it.
ENV NODE_OPTIONS=--max-semi-space-size=32
WORKDIR /portico
COPY --from=build /portico/node_modules node_modules
COPY --from=build /portico/package.json /portico/LICENSE ./
COPY --from=build /portico/prisma prisma
COPY --from=build /portico/dist dist
COPY --from=build /portico/metadata metadata
# The commands portico and portico-auth, and the health check.
COPY deploy/image /usr/local/bin
USER node
EXPOSE 8080
CMD ["node", "dist/gateway/main.js"]
