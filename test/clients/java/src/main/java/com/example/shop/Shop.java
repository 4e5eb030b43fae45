package com.example.shop;

import aisle.v1.*;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A shop's server in Java: creates an app, records orders, trains, asks for recommendations, meets two errors. */
public final class Shop {
  public static void main(String[] args) throws Exception {
    ManagedChannel channel = connect();
    try {
      run(channel);
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static void run(ManagedChannel channel) throws Exception {
    var apps = AppServiceGrpc.newBlockingStub(channel);
    var events = EventServiceGrpc.newBlockingStub(channel);
    var models = ModelServiceGrpc.newBlockingStub(channel);
    var recommendations = RecommendationServiceGrpc.newBlockingStub(channel);

    var app = App.newBuilder().setDisplayName("Tea shop");
    String appId = apps.createApp(CreateAppRequest.newBuilder().setApp(app).build()).getApp().getAppId();
    System.out.println("app: " + appId);

    // A stream of batches: of two kinds of customers, one buys a pot with its tea, the other a brush with its paint.
    var recorded = new CompletableFuture<RecordEventsResponse>();
    var batches = EventServiceGrpc.newStub(channel).recordEvents(toFuture(recorded));
    batches.onNext(orders(appId, List.of("tea", "pot")));
    batches.onNext(orders(appId, List.of("paint", "brush")));
    batches.onCompleted();
    System.out.println("recorded: " + recorded.get(10, TimeUnit.SECONDS).getAccepted());

    // A stream of answers: each stage of the training as it begins, the model at last.
    var training = models.trainModel(TrainModelRequest.newBuilder().setAppId(appId).build());
    training.forEachRemaining(progress -> {
      if (progress.hasModel()) System.out.println("trained: yes");
    });

    var page = RecommendRequest.newBuilder().setAppId(appId).addCurrentProductIds("tea").setRecommendedCount(1);
    var answer = recommendations.recommend(page.build());
    System.out.println("with tea: "
        + answer.getRecommendedList().stream().map(ProductCard::getProductId).collect(Collectors.joining(", ")));

    try {
      recommendations.recommend(RecommendRequest.newBuilder().setAppId("nobody").build());
    } catch (StatusRuntimeException error) {
      printRefusal(error);
    }
    try {
      events.recordEvent(
          RecordEventRequest.newBuilder().setAppId(appId).setEvent(Event.getDefaultInstance()).build());
    } catch (StatusRuntimeException error) {
      printRefusal(error);
    }
  }

  private static RecordEventsRequest orders(String appId, List<String> products) {
    var batch = RecordEventsRequest.newBuilder().setAppId(appId);
    for (int i = 0; i < 20; i++) {
      String id = products.get(0) + "-" + i;
      var event = Event.newBuilder()
          .setActionType("order")
          .setVisitor(VisitorIds.newBuilder().setClientId(id))
          .setOrder(EventOrder.newBuilder().setOrderId(id));
      for (String product : products) event.addProducts(EventProduct.newBuilder().setProductId(product));
      batch.addEvents(event).addIdempotencyKeys(id);
    }
    return batch.build();
  }

  /** Prints the code of what a call was refused with, and its typed details. */
  private static void printRefusal(StatusRuntimeException error) throws InvalidProtocolBufferException {
    var said = new StringBuilder("refused: " + error.getStatus().getCode());
    for (Any detail : StatusProto.fromThrowable(error).getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        said.append(" ").append(detail.unpack(ErrorInfo.class).getReason());
      } else if (detail.is(BadRequest.class)) {
        for (var violation : detail.unpack(BadRequest.class).getFieldViolationsList()) {
          said.append(" ").append(violation.getField()).append(" ").append(violation.getReason());
        }
      }
    }
    System.out.println(said);
  }

  private static <T> StreamObserver<T> toFuture(CompletableFuture<T> future) {
    return new StreamObserver<>() {
      @Override
      public void onNext(T answer) {
        future.complete(answer);
      }

      @Override
      public void onError(Throwable error) {
        future.completeExceptionally(error);
      }

      @Override
      public void onCompleted() {
        future.completeExceptionally(Status.INTERNAL.withDescription("no answer").asException());
      }
    };
  }

  /** Reads the server's address from AISLE_SERVER, a token from AISLE_TOKEN and, for https, an own authority from AISLE_CA. */
  private static ManagedChannel connect() throws IOException {
    var env = System.getenv();
    var server = URI.create(env.getOrDefault("AISLE_SERVER", "http://127.0.0.1:8081"));
    ChannelCredentials credentials = InsecureChannelCredentials.create();
    if (server.getScheme().equals("https")) {
      var tls = TlsChannelCredentials.newBuilder();
      if (env.containsKey("AISLE_CA")) tls.trustManager(new File(env.get("AISLE_CA")));
      credentials = tls.build();
    }
    var channel = Grpc.newChannelBuilder(server.getAuthority(), credentials);
    var token = env.getOrDefault("AISLE_TOKEN", "");
    if (!token.isEmpty()) {
      var headers = new Metadata();
      headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
      channel.intercept(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
    return channel.build();
  }
}
