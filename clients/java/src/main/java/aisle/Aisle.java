package aisle;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.TlsChannelCredentials;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A client of each service, with a deadline and retries for each call. They share one connection, which the first call opens.
 * For another kind of stub make it over {@link #channel()}.
 */
public final class Aisle extends Services implements AutoCloseable {
  /** The server's limit of an answer in bytes; gRPC's own is 4 MiB. */
  private static final int LONGEST_ANSWER = 16 << 20;

  private final ManagedChannel connection;

  private Aisle(ManagedChannel connection, Channel channel) {
    super(channel);
    this.connection = connection;
  }

  /** Connects to AISLE_SERVER, else http://127.0.0.1:8081, with the token AISLE_TOKEN; AISLE_CA is the PEM file of an authority. */
  public static Aisle connect() throws IOException {
    return new Builder().connect();
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public void close() {
    connection.shutdown();
    try {
      if (!connection.awaitTermination(5, TimeUnit.SECONDS)) connection.shutdownNow();
    } catch (InterruptedException interrupted) {
      connection.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  /** Where the server is and who calls. */
  public static final class Builder {
    private String server = fromEnvironment("AISLE_SERVER", "http://127.0.0.1:8081");
    private String token = fromEnvironment("AISLE_TOKEN", "");
    private String ca = fromEnvironment("AISLE_CA", "");
    private Duration timeout = Duration.ofSeconds(10);

    private Builder() {}

    /** Address of the RPC port. */
    public Builder server(String address) {
      server = address;
      return this;
    }

    /** Token of the caller. */
    public Builder token(String secret) {
      token = secret;
      return this;
    }

    /** PEM file of the authority of an https server; without it those of Java count. */
    public Builder ca(String file) {
      ca = file;
      return this;
    }

    /** Deadline of a unary call that names none and does not wait for other work. */
    public Builder timeout(Duration length) {
      timeout = length;
      return this;
    }

    public Aisle connect() throws IOException {
      URI address = URI.create(server);
      ManagedChannel connection = Grpc.newChannelBuilder(address.getAuthority(), credentials(address))
          .defaultServiceConfig(ServiceConfig.MAP)
          .enableRetry()
          .maxInboundMessageSize(LONGEST_ANSWER)
          .build();
      return new Aisle(connection, ClientInterceptors.intercept(connection, new Defaults(token, timeout)));
    }

    private ChannelCredentials credentials(URI address) throws IOException {
      if ("http".equals(address.getScheme())) return InsecureChannelCredentials.create();
      if (!"https".equals(address.getScheme()))
        throw new IllegalArgumentException("the server's address begins with http:// or https://");
      var tls = TlsChannelCredentials.newBuilder();
      if (!ca.isEmpty()) tls.trustManager(new File(ca));
      return tls.build();
    }

    private static String fromEnvironment(String name, String otherwise) {
      String value = System.getenv(name);
      return value == null || value.isEmpty() ? otherwise : value;
    }
  }

  /** Whether the server may wait for other work before it answers. */
  private static boolean isWait(MethodDescriptor<?, ?> method) {
    return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier schema
        && schema.getMethodDescriptor().getInputType().findFieldByName(Contract.WAIT_FIELD) != null;
  }

  /** Adds the token to every call; to a unary one also a deadline, and a key where the contract has a field for it. */
  private record Defaults(String token, Duration timeout) implements ClientInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      boolean isUnary = method.getType() == MethodDescriptor.MethodType.UNARY;
      CallOptions limited = isUnary && options.getDeadline() == null && !isWait(method)
          ? options.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
          : options;
      return new SimpleForwardingClientCall<>(next.newCall(method, limited)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          if (!token.isEmpty()) headers.put(AUTHORIZATION, "Bearer " + token);
          super.start(listener, headers);
        }

        @Override
        public void sendMessage(Q request) {
          super.sendMessage(isUnary ? Keys.fill(request) : request);
        }
      };
    }
  }
}
